#!/bin/sh
# A capture of model.fit, then a summary and one command per view on the demo profile, each with a
# line that says what it answers.
show() {
  echo
  echo "# $1"
  shift
  echo "\$ tfprof $*"
  tfprof --quiet --no-pager "$@"
}

show "Which lines of a Keras model take the time of model.fit?" --demo keras code
show "What is in a profile, and what costs most?" --demo summary
show "Where are the parameters? (scope view)" --demo scope \
  -account_type_regexes VariableV2 -max_depth 4 -select params
show "Which operation types take the time? (op view)" --demo op \
  -select micros,occurrence -order_by micros -max_depth 7
show "What does the loss wait for? (graph view)" --demo graph \
  -start_name_regexes cost.* -max_depth 100 -min_micros 13000 -select micros -show_name_regexes .*Conv2D,.*DequeueMany
show "Which lines of my code cost most? (code view)" --demo code \
  -show_name_regexes 'resnet.*' -max_depth 7 -min_micros 40000 -select micros -order_by micros
show "What should I look at?" --demo advise
echo
echo "Next: tfprof --demo        a prompt with completion; 'help' explains, Ctrl-D leaves"
