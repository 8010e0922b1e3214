"""Schema of TFLite files, version 3, for `flatbuffers.Reader`.

Source: tensorflow/lite/schema/schema.fbs. Fields that change no result are left out.
"""

from __future__ import annotations

SCHEMA = {
    "Model": (
        "version:I operator_codes:OperatorCode* subgraphs:SubGraph* description:text "
        "buffers:Buffer* - - signature_defs:SignatureDef*"
    ),
    "OperatorCode": "deprecated_builtin_code:b custom_code:text version:i builtin_code:i",
    "SubGraph": "tensors:Tensor* inputs:i* outputs:i* operators:Operator* name:text",
    "Tensor": (
        "shape:i* type:b buffer:I name:text quantization:QuantizationParameters is_variable:? "
        "sparsity:SparsityParameters shape_signature:i*"
    ),
    "QuantizationParameters": "- - scale:f* zero_point:q* details_type:B - quantized_dimension:i",
    "SparsityParameters": "traversal_order:i* block_map:i* dim_metadata:DimensionMetadata*",
    "DimensionMetadata": (
        "format:b dense_size:i array_segments_type:B array_segments:|SparseIndexVector "
        "array_indices_type:B array_indices:|SparseIndexVector"
    ),
    "Int32Vector": "values:i*",
    "Uint16Vector": "values:H*",
    "Uint8Vector": "values:B*",
    "Operator": (
        "opcode_index:I inputs:i* outputs:i* builtin_options_type:B "
        "builtin_options:|BuiltinOptions custom_options:data - - intermediates:i*"
    ),
    "Buffer": "data:data offset:Q size:Q",
    "SignatureDef": "inputs:TensorMap* outputs:TensorMap* signature_key:text - subgraph_index:I",
    "TensorMap": "name:text tensor_index:I",
    "AddOptions": "fused_activation_function:b",
    "BatchMatMulOptions": "adj_x:? adj_y:? asymmetric_quantize_inputs:?",
    "BidirectionalSequenceLSTMOptions": (
        "fused_activation_function:b cell_clip:f proj_clip:f merge_outputs:? time_major:? "
        "asymmetric_quantize_inputs:?"
    ),
    "BidirectionalSequenceRNNOptions": (
        "time_major:? fused_activation_function:b merge_outputs:? asymmetric_quantize_inputs:?"
    ),
    "BucketizeOptions": "boundaries:f*",
    "CallOnceOptions": "init_subgraph_index:i",
    "CallOptions": "subgraph:I",
    "ConcatenationOptions": "axis:i fused_activation_function:b",
    "Conv2DOptions": (
        "padding:b stride_w:i stride_h:i fused_activation_function:b dilation_w_factor:i "
        "dilation_h_factor:i"
    ),
    "Conv3DOptions": (
        "padding:b stride_d:i stride_w:i stride_h:i fused_activation_function:b "
        "dilation_d_factor:i dilation_w_factor:i dilation_h_factor:i"
    ),
    "CumsumOptions": "exclusive:? reverse:?",
    "DepthToSpaceOptions": "block_size:i",
    "DepthwiseConv2DOptions": (
        "padding:b stride_w:i stride_h:i - fused_activation_function:b dilation_w_factor:i "
        "dilation_h_factor:i"
    ),
    "DivOptions": "fused_activation_function:b",
    "FakeQuantOptions": "min:f max:f num_bits:i narrow_range:?",
    "FullyConnectedOptions": (
        "fused_activation_function:b weights_format:b keep_num_dims:? asymmetric_quantize_inputs:?"
    ),
    "GatherOptions": "axis:i batch_dims:i",
    "GeluOptions": "approximate:?",
    "IfOptions": "then_subgraph_index:i else_subgraph_index:i",
    "L2NormOptions": "fused_activation_function:b",
    "LSTMOptions": (
        "fused_activation_function:b cell_clip:f proj_clip:f kernel_type:b "
        "asymmetric_quantize_inputs:?"
    ),
    "LeakyReluOptions": "alpha:f",
    "LocalResponseNormalizationOptions": "radius:i bias:f alpha:f beta:f",
    "MirrorPadOptions": "mode:b",
    "MulOptions": "fused_activation_function:b",
    "OneHotOptions": "axis:i",
    "PackOptions": "- axis:i",
    "Pool2DOptions": (
        "padding:b stride_w:i stride_h:i filter_width:i filter_height:i fused_activation_function:b"
    ),
    "RNNOptions": "fused_activation_function:b asymmetric_quantize_inputs:?",
    "ReducerOptions": "keep_dims:?",
    "ReshapeOptions": "new_shape:i*",
    "ResizeBilinearOptions": "- - align_corners:? half_pixel_centers:?",
    "ResizeNearestNeighborOptions": "align_corners:? half_pixel_centers:?",
    "ReverseSequenceOptions": "seq_dim:i batch_dim:i",
    "SVDFOptions": "rank:i fused_activation_function:b asymmetric_quantize_inputs:?",
    "SequenceRNNOptions": "time_major:? fused_activation_function:b asymmetric_quantize_inputs:?",
    "SoftmaxOptions": "beta:f",
    "SpaceToDepthOptions": "block_size:i",
    "SqueezeOptions": "squeeze_dims:i*",
    "StridedSliceOptions": (
        "begin_mask:i end_mask:i ellipsis_mask:i new_axis_mask:i shrink_axis_mask:i offset:?"
    ),
    "SubOptions": "fused_activation_function:b",
    "TransposeConvOptions": "padding:b stride_w:i stride_h:i fused_activation_function:b",
    "UnidirectionalSequenceLSTMOptions": (
        "fused_activation_function:b cell_clip:f proj_clip:f time_major:? "
        "asymmetric_quantize_inputs:? diagonal_recurrent_tensors:?"
    ),
    "UnpackOptions": "- axis:i",
    "VarHandleOptions": "container:text shared_name:text",
    "WhileOptions": "cond_subgraph_index:i body_subgraph_index:i",
}
"""Fields of each table."""
_OPTIONS = """
    NONE Conv2DOptions DepthwiseConv2DOptions ConcatEmbeddingsOptions LSHProjectionOptions
    Pool2DOptions SVDFOptions RNNOptions FullyConnectedOptions SoftmaxOptions
    ConcatenationOptions AddOptions L2NormOptions LocalResponseNormalizationOptions
    LSTMOptions ResizeBilinearOptions CallOptions ReshapeOptions SkipGramOptions
    SpaceToDepthOptions EmbeddingLookupSparseOptions MulOptions PadOptions GatherOptions
    BatchToSpaceNDOptions SpaceToBatchNDOptions TransposeOptions ReducerOptions SubOptions
    DivOptions SqueezeOptions SequenceRNNOptions StridedSliceOptions ExpOptions TopKV2Options
    SplitOptions LogSoftmaxOptions CastOptions DequantizeOptions MaximumMinimumOptions
    ArgMaxOptions LessOptions NegOptions PadV2Options GreaterOptions GreaterEqualOptions
    LessEqualOptions SelectOptions SliceOptions TransposeConvOptions SparseToDenseOptions
    TileOptions ExpandDimsOptions EqualOptions NotEqualOptions ShapeOptions PowOptions
    ArgMinOptions FakeQuantOptions PackOptions LogicalOrOptions OneHotOptions
    LogicalAndOptions LogicalNotOptions UnpackOptions FloorDivOptions SquareOptions
    ZerosLikeOptions FillOptions BidirectionalSequenceLSTMOptions
    BidirectionalSequenceRNNOptions UnidirectionalSequenceLSTMOptions FloorModOptions
    RangeOptions ResizeNearestNeighborOptions LeakyReluOptions SquaredDifferenceOptions
    MirrorPadOptions AbsOptions SplitVOptions UniqueOptions ReverseV2Options AddNOptions
    GatherNdOptions CosOptions WhereOptions RankOptions ReverseSequenceOptions
    MatrixDiagOptions QuantizeOptions MatrixSetDiagOptions HardSwishOptions IfOptions
    WhileOptions DepthToSpaceOptions NonMaxSuppressionV4Options NonMaxSuppressionV5Options
    ScatterNdOptions SelectV2Options DensifyOptions SegmentSumOptions BatchMatMulOptions
    CumsumOptions CallOnceOptions BroadcastToOptions Rfft2dOptions Conv3DOptions
    HashtableOptions HashtableFindOptions HashtableImportOptions HashtableSizeOptions
    VarHandleOptions ReadVariableOptions AssignVariableOptions RandomOptions BucketizeOptions
    GeluOptions DynamicUpdateSliceOptions UnsortedSegmentProdOptions UnsortedSegmentMaxOptions
    UnsortedSegmentMinOptions UnsortedSegmentSumOptions ATan2Options SignOptions
    BitcastOptions BitwiseXorOptions RightShiftOptions
"""
UNIONS = {
    "BuiltinOptions": tuple(_OPTIONS.split()),
    "SparseIndexVector": ("NONE", "Int32Vector", "Uint16Vector", "Uint8Vector"),
}
"""Names of tables by the number of a type."""

_OPERATORS = """
    ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE
    EMBEDDING_LOOKUP FLOOR FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D
    LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU
    RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH
    CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD
    UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB
    DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN EXP
    TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM ARG_MAX
    MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV
    SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW ARG_MIN
    FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK
    REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE
    RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL
    REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE
    MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5
    SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES
    CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS HASHTABLE
    HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE
    READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE
    RANDOM_UNIFORM MULTINOMIAL GELU DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD
    UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 UNSORTED_SEGMENT_MIN SIGN BITCAST
    BITWISE_XOR RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD STABLEHLO_DIVIDE
    STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP
    STABLEHLO_CONCATENATE STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE
    STABLEHLO_CUSTOM_CALL STABLEHLO_REDUCE STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE
    STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_LOG STABLEHLO_MINIMUM STABLEHLO_NEGATE
    STABLEHLO_OR STABLEHLO_POWER STABLEHLO_REMAINDER STABLEHLO_RSQRT STABLEHLO_SELECT
    STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER STABLEHLO_COMPARE STABLEHLO_CONVERT
    STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA
    STABLEHLO_DOT_GENERAL STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE
    STABLEHLO_GATHER STABLEHLO_TRANSPOSE DILATE STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW
    STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT STABLEHLO_CBRT STABLEHLO_CASE
"""
OPERATORS = tuple(_OPERATORS.split())
"""Names of the builtin operators by their number."""
