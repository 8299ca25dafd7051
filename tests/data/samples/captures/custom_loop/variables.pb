
3
sequential_4/dense_7/kernel_trainable_variables
1
sequential_4/dense_7/bias_trainable_variables
3
sequential_4/dense_8/kernel_trainable_variables
1
sequential_4/dense_8/bias_trainable_variables