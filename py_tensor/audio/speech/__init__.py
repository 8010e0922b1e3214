"""Speech to text with Whisper.

Input: a sound. Output: segments of text. Read the modules in this order:

    tokens         tokens that have a meaning in prompts and rules
    steps          features, encoder, and one token after another, on the device
    segments       tokens of a window as segments, by their timestamps
    transcription  Transcription: window after window
    model          SpeechModel
    loading        load_speech
"""
