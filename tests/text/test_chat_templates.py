"""Chat templates: their text, and limits for hostile ones."""

# ruff: noqa: E501

from __future__ import annotations

import json
import sys

import pytest
from work_limit import limited_steps

import py_tensor as pt

pytestmark = pytest.mark.host
MODEL = {"type": "WordLevel", "vocab": {"?": 0, "user": 1, "Hi": 2}, "unk_token": "?"}
FILE = {"model": MODEL, "pre_tokenizer": {"type": "Whitespace"}}
CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": " Hi "}]
CHATML = """{%- for message in messages %}
    {{- '<|im_start|>' + message['role'] + '\n' + message['content'] | trim + '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}"""


DOUBLING = "{%% set n = namespace(x=%s) %%}{%% for i in range(64) %%}{%% set n.x = n.x %s n.x %%}{%% endfor %%}"


def text_of(template: str, messages=CHAT, **variables) -> str:
    config = {"chat_template": template, "bos_token": "<s>", "eos_token": {"content": "</s>"}}
    tokenizer = pt.text.Tokenizer(FILE, config)
    return tokenizer.apply_chat_template(messages, tokenize=False, **variables)


def test_messages_are_written():
    assert text_of(CHATML) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert text_of(CHATML, add_generation_prompt=False).endswith("Hi<|im_end|>\n")


def test_tokens_are_those_of_the_text_without_added_ones():
    tokenizer = pt.text.Tokenizer(FILE, {"chat_template": "{{ messages[0].role }} Hi"})
    assert tokenizer.apply_chat_template(CHAT[1:]) == [1, 2]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ bos_token }}{{ eos_token }}", "<s></s>"),
        ("{% if true %}\na\n{% endif %}\nb", "a\nb"),
        ("{{ {'a': '<é>'} | tojson }}", '{"a": "<é>"}'),
        ("{{ [1] | tojson(indent=2) }}", "[\n  1\n]"),
        ("{% for m in messages %}{{ loop.index }}{{ loop.length }}{{ loop.last }}{% endfor %}", "12False22True"),
        ("{% for m in messages %}{{ m.role }}{% break %}{% endfor %}", "system"),
        ("{% for m in messages if m.role == 'user' %}{{ loop.index0 }}{% endfor %}", "0"),
        ("{% set ns = namespace(x=1) %}{% set ns.x = ns.x + 2 ** 3 %}{{ ns.x }}", "9"),
        ("{% generation %}a{% endgeneration %}", "a"),
        ("{{ tools is none }}{{ extra }}", "True5"),
        ("{{ messages[0]['content'].split(' ')[-1] | upper }}", "BRIEF."),
        ("{{ 'a' ~ 1 ~ 'b' }}{{ '%s-%d' % ('x', 3) }}{{ '{}!'.format('y') }}", "a1bx-3y!"),
        ("{{ messages | map(attribute='role') | join(', ') }}", "system, user"),
        ("{{ 'aXbX' | replace('X', '-') }}{{ 'abc'.replace('b', '') }}", "a-b-ac"),
        ("{% macro f(x) %}[{{ x }}]{% endmacro %}{{ f('a') }}", "[a]"),
    ],
)  # fmt: skip
def test_what_templates_may_use(template, text):
    assert text_of(template, extra=5) == text


def test_dates():
    assert len(text_of("{{ strftime_now('%Y') }}")) == 4


def test_refused_messages_raise():
    with pytest.raises(pt.errors.ArgumentError, match="template refuses the messages"):
        text_of("{{ raise_exception('no system') }}")


@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(100000000) %}a{% endfor %}",
        "{% for i in range(1000) %}{% for j in range(1000) %}a{% endfor %}{% endfor %}",
        "{{ 'a' * 1000000000 }}",
        "{{ [0] * 1000000000 }}",
        "{{ 10 ** (10 ** 10) }}",
        DOUBLING % ("'ab'", "~"),
        DOUBLING % ("'ab'", "+"),
        DOUBLING % ('[1]', "+"),
        "{{ 'a'.center(1000000000) }}",
        "{{ 'a'.ljust(1000000000) }}",
        "{{ 'a' | center(1000000000) }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ '{:1000000000}'.format(1) }}",
        "{{ '{:{}}'.format(1, 1000000000) }}",
        "{{ '%*d' % (1000000000, 1) }}",
        "{{ [1] | batch(1000000000, 'x') | list }}",
        "{{ [1] | tojson(indent=1000000000) }}",
        "{{ ('a' * 100000).replace('a', 'a' * 100000) }}",
        "{{ ('a' * 100000) | replace('a', 'a' * 100000) }}",
        "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ lipsum(1000000) }}",
    ],
)  # fmt: skip
def test_hostile_templates_end(template):
    with limited_steps(6_000_000), pytest.raises(pt.errors.ModelError, match="template"):
        text_of(template)


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ messages.append(1) }}",
        "{{ messages.__class__ }}",
        "{% include 'x' %}",
        "{{ nothing.x }}",
        "{% for %}",
        "{{ undefined_function() }}",
    ],
)
def test_wrong_templates_raise(template):
    try:
        assert text_of(template) == ""
    except pt.errors.ModelError as error:
        assert "template failed; got " in str(error)


def test_templates_by_name():
    templates = [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]
    tokenizer = pt.text.Tokenizer(FILE, {"chat_template": templates})
    assert tokenizer.chat_template == "a"
    assert tokenizer.apply_chat_template(CHAT, tokenize=False) == "a"
    assert tokenizer.apply_chat_template(CHAT, tokenize=False, tools=[{}]) == "b"
    assert tokenizer.apply_chat_template(CHAT, tokenize=False, chat_template="tool_use") == "b"
    assert tokenizer.apply_chat_template(CHAT, tokenize=False, chat_template="c{{ 1 }}") == "c1"


def test_a_tokenizer_without_a_template_raises():
    with pytest.raises(pt.errors.ArgumentError, match="tokenizer has no chat template"):
        pt.text.Tokenizer(FILE).apply_chat_template(CHAT)


def test_missing_jinja_is_an_error_that_says_how_to_install_it(monkeypatch):
    from py_tensor.text import chat_templates

    chat_templates._sandbox.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.delitem(sys.modules, "py_tensor.text.sandbox", raising=False)
    with pytest.raises(pt.errors.BackendError, match="pip install jinja2"):
        text_of("a")


def test_configurations_that_are_not_valid_raise():
    for config in ("[]", b"{", {"chat_template": [{"name": "a"}]}):
        with pytest.raises(pt.errors.ModelError, match=r"^load: .*; got .*; "):
            pt.text.Tokenizer(FILE, config)
    assert pt.text.Tokenizer(FILE, json.dumps({"eos_token": "e"})).special_tokens == {
        "eos_token": "e"
    }
