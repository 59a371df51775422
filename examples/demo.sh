#!/bin/sh
# The whole tool once, on a generated sample: preprocess, train, eval, tag. $1 is the nntag command.
set -e
nntag=${1:-nntag}
show() { echo; echo "\$ nntag $*"; "$nntag" "$@"; }

show preprocess ccgbank --sample
show train --model skip-gated --layers 3 --hidden 64 --epochs 8 --verbose
show eval
echo
echo '$ echo "the old teacher saw the dog in the garden ." | nntag tag'
echo "the old teacher saw the dog in the garden ." | "$nntag" tag
