"""What a small translator of random weights answers, by CTranslate2 on CPUs: the scores of its tokens."""
import os
import tempfile

import ctranslate2
import numpy

WORDS = ["<unk>", "<s>", "</s>"] + [f"w{i}" for i in range(61)]
DIMENSIONS = 64
random = numpy.random.RandomState(3)


def weights(*shape):
    return (random.rand(*shape) - 0.5).astype(numpy.float32)


def fill_linear(linear, outputs, inputs):
    linear.weight, linear.bias = weights(outputs, inputs), weights(outputs)


def fill_norm(norm):
    norm.gamma, norm.beta = 1 + weights(DIMENSIONS), weights(DIMENSIONS)


def fill_layer(layer):
    d = DIMENSIONS
    fill_norm(layer.self_attention.layer_norm)
    fill_linear(layer.self_attention.linear[0], 3 * d, d)
    fill_linear(layer.self_attention.linear[1], d, d)
    if hasattr(layer, "attention"):
        fill_norm(layer.attention.layer_norm)
        fill_linear(layer.attention.linear[0], d, d)
        fill_linear(layer.attention.linear[1], 2 * d, d)
        fill_linear(layer.attention.linear[2], d, d)
    fill_norm(layer.ffn.layer_norm)
    fill_linear(layer.ffn.linear_0, 4 * d, d)
    fill_linear(layer.ffn.linear_1, d, 4 * d)


specification = ctranslate2.specs.TransformerSpec.from_config(num_layers=2, num_heads=4)
for part in (specification.encoder, specification.decoder):
    embeddings = part.embeddings[0] if isinstance(part.embeddings, list) else part.embeddings
    embeddings.weight = weights(len(WORDS), DIMENSIONS)
    part.position_encodings.encodings = weights(64, DIMENSIONS)
    fill_norm(part.layer_norm)
    for each in part.layer:
        fill_layer(each)
fill_linear(specification.decoder.projection, len(WORDS), DIMENSIONS)
specification.register_source_vocabulary(WORDS)
specification.register_target_vocabulary(WORDS)
with tempfile.TemporaryDirectory() as folder:
    specification.validate()
    specification.save(folder)
    translator = ctranslate2.Translator(folder, device="cpu", compute_type="float32",
                                        intra_threads=int(os.environ["OMP_NUM_THREADS"]))
    texts = [[f"w{(i * j) % 61}" for j in range(1, 12)] for i in range(1, 9)]
    for result in translator.score_batch(texts, texts[::-1]):
        print(*(f"{each:.5f}" for each in result.log_probs))
