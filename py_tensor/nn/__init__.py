"""Neural networks: functions, and modules that hold the functions' parameters.

For example, the function `conv2d` and the module `Conv2D` compute the same; the module holds the
kernel. Input: tensors with the channels last, such as (batch, height, width, channels). Output:
tensors. Each subject has a file of functions here and a file of modules in `layers`. Read `module`
first, then the functions, then `layers`.

>>> import py_tensor as pt
>>> model = pt.nn.Sequential(pt.nn.Dense(4, 8), pt.relu, pt.nn.Dense(8, 3), pt.softmax)
>>> model(pt.ones((2, 4))).shape
(2, 3)
"""

from typing import TYPE_CHECKING

from ..late import import_names
from . import initializers as initializers

if TYPE_CHECKING:
    from .activations import *
    from .attention import *
    from .cells import *
    from .constraints import *
    from .convolution import *
    from .ctc_decoding import *
    from .dropout import *
    from .embedding import *
    from .layers.attention import *
    from .layers.cache import *
    from .layers.containers import *
    from .layers.convolution import *
    from .layers.decoder import *
    from .layers.dropout import *
    from .layers.encoders import *
    from .layers.feed_forward import *
    from .layers.functional import *
    from .layers.grouped_attention import *
    from .layers.linear import *
    from .layers.lora import *
    from .layers.merging import *
    from .layers.normalization import *
    from .layers.pooling import *
    from .layers.recurrent import *
    from .layers.rotary import *
    from .layers.shaping import *
    from .layers.speech import *
    from .layers.transformer import *
    from .losses import *
    from .module import *
    from .normalization import *
    from .patches import *
    from .pooling import *
    from .predictions import *
    from .quantization import *
    from .regularizers import *
    from .resize import *
    from .rotary import *
    from .softmax import *
    from .summary import *

_NAMES = {
    "activations": """
        celu elu gelu glu hard_shrink hard_sigmoid hard_swish hard_tanh leaky_relu
        log_sigmoid mish prelu relu relu6 rrelu selu sigmoid silu soft_shrink softplus
        softsign step swish tanh tanh_shrink threshold""",
    "attention": "scaled_dot_product_attention",
    "cells": "lstm_cell multi_rnn_cell",
    "constraints": "NormRange apply_constraints constrain max_norm min_max_norm non_neg unit_norm",
    "convolution": """
        conv1d conv1d_transpose conv2d conv2d_transpose conv3d conv3d_transpose
        depthwise_conv2d separable_conv2d""",
    "ctc_decoding": "ctc_beam_search ctc_greedy_decode",
    "dropout": "dropout",
    "embedding": "embedding one_hot",
    "layers.attention": "MultiHeadAttention",
    "layers.cache": "KeyValueCache",
    "layers.containers": "Activation Flatten RepeatVector Reshape Sequential",
    "layers.convolution": """
        Conv1D Conv2D Conv3D ConvTranspose1D ConvTranspose2D ConvTranspose3D
        DepthwiseConv2D SeparableConv2D""",
    "layers.decoder": "CausalDecoder DecoderBlock DecoderCache DecoderOptions",
    "layers.dropout": "Dropout",
    "layers.encoders": "DualEncoder EncoderOptions TextEncoder VisionEncoder",
    "layers.feed_forward": "FeedForward MixtureOfExperts",
    "layers.functional": "Input LayerOutput Model",
    "layers.grouped_attention": "GroupedQueryAttention",
    "layers.linear": "Dense Embedding PReLU",
    "layers.lora": "LoRADense lora merge_lora",
    "layers.merging": "Add Average Concatenate Maximum Minimum Multiply Subtract",
    "layers.normalization": "BatchNorm GroupNorm InstanceNorm LayerNorm RMSNorm",
    "layers.pooling": """
        AdaptiveAvgPool1D AdaptiveAvgPool2D AdaptiveAvgPool3D AdaptiveMaxPool1D
        AdaptiveMaxPool2D AdaptiveMaxPool3D AvgPool1D AvgPool2D AvgPool3D GlobalAvgPool
        GlobalMaxPool MaxPool1D MaxPool2D MaxPool3D""",
    "layers.recurrent": "GRU LSTM RNN Bidirectional GRUCell LSTMCell RecurrentOptions",
    "layers.rotary": "RotaryEmbedding",
    "layers.shaping": """
        Cropping1D Cropping2D PixelShuffle SpatialDropout TimeDistributed Upsample
        ZeroPadding1D ZeroPadding2D""",
    "layers.speech": "SpeechCache SpeechToText",
    "layers.transformer": "TransformerDecoderLayer TransformerEncoderLayer",
    "losses": """
        binary_cross_entropy cosine_distance cosine_embedding_loss cosine_similarity
        ctc_loss hinge_loss huber_loss kl_divergence log_loss mean_absolute_error
        mean_squared_error nll_loss sigmoid_cross_entropy softmax_cross_entropy
        sparse_softmax_cross_entropy""",
    "module": "Module buffer_field freeze static_field",
    "normalization": """
        batch_norm group_norm instance_norm layer_norm local_response_normalization
        moments moving_average rms_norm""",
    "patches": """
        batch_to_space depth_to_space dilation2d fold grid_sample pixel_shuffle
        space_to_batch space_to_depth unfold""",
    "pooling": """
        adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
        adaptive_max_pool2d adaptive_max_pool3d avg_pool1d avg_pool2d avg_pool3d
        global_avg_pool global_max_pool max_pool1d max_pool2d max_pool2d_with_argmax
        max_pool3d""",
    "predictions": "confusion_matrix in_top_k",
    "quantization": "PackedMatrix dequantize quantize",
    "regularizers": "L1 L1L2 L2 regularization_loss regularize",
    "resize": "resize_bicubic resize_bilinear resize_nearest_neighbor",
    "rotary": "RotaryScaling rotary_embedding rotary_frequencies",
    "softmax": "gumbel_softmax log_softmax logsumexp softmax softmin",
    "split_matrix": "SplitMatrix",
    "summary": "summary",
}
"""Names by module, separated by spaces."""
__all__ = sorted(["initializers", *import_names(__name__, _NAMES)])
