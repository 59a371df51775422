"""An n-gram language model with interpolated modified Kneser-Ney smoothing: token ids in, nats per token out."""
