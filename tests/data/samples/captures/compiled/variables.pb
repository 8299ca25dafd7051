
 
Variable_trainable_variables