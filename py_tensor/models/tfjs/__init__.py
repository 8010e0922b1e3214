"""TensorFlow.js models.

Input: the bytes of a `model.json` and of its weights. Output: a `Model`. Read the modules in this
order:

    weights         files of weights to constants
    attributes      values in a GraphDef as JSON
    control_flow    loops and conditions between nodes become nodes with graphs
    graph_reader    graph models to graphs
    operators/      the table of TensorFlow's operators
    layers/         the table of Keras's layers
    weight_names    which weight belongs to which layer
    topology        configuration of layers to graphs
    reader          model.json: graph models and layers models
"""
