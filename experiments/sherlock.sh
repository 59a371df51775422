#!/bin/sh
# Sentence completion as in section 6 of Tran, Bisazza & Monz 2016: trains models on novels and answers the questions.
#
#     sh experiments/sherlock.sh FOLDER [OUT]        FOLDER: novels and questions as data/README.md lays them out,
#                                                    or --sample; OUT: runs/sherlock
#
# The values below are the paper's largest models on a GPU; give others in the environment, such as DEVICE=cpu HIDDEN=128
# EPOCHS=3. A model trains for at most MINUTES and keeps its best finished epoch. Called again, the script goes on where
# it stopped. The paper's memory sizes are n = 15 on one side, 10 on either side: the models' own defaults.
set -eu
folder=${1:?"usage: sh experiments/sherlock.sh FOLDER [OUT]"} out=${2:-runs/sherlock}
: "${MODELS:=rm rm-bidirectional lstm-lm}" "${DEVICE:=cuda}" "${LAYERS:=3}" "${HIDDEN:=512}" "${DROPOUT:=0.3}"
: "${EPOCHS:=10}" "${BATCH:=128}" "${LR:=0.002}" "${HALF_LIFE:=4000}" "${MIN_COUNT:=6}" "${MINUTES:=8}" "${NNTAG:=nntag}"

[ -d "$out/data" ] || $NNTAG preprocess sherlock "$folder" --out "$out/data" --min-count "$MIN_COUNT"
for model in $MODELS; do
    if [ -e "$out/$model/last" ]; then
        set -- --resume
    else
        set -- --model "$model" --data "$out/data" --layers "$LAYERS" --hidden "$HIDDEN" --dropout "$DROPOUT" \
            --set input_dropout="$DROPOUT" --set output_dropout="$DROPOUT" --epochs "$EPOCHS" --batch-size "$BATCH" \
            --set optimiser=adam --lr "$LR" --set lr_half_life="$HALF_LIFE"
    fi
    timeout --signal INT "${MINUTES}m" $NNTAG train "$@" --out "$out/$model" --device "$DEVICE" --verbose ||
        [ $? -eq 124 ] # 124: the time is up
    $NNTAG eval --model "$out/$model" --device "$DEVICE"
done
