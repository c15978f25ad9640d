// The workflows that the smoke test opens: a broken one for each format, with the key that is
// wrong and its replacement, and one with its tests.
export const broken = [
  {
    name: "archon.yaml",
    wrong: "bsah",
    right: "bash",
    text: `name: archon
description: Say hello.
nodes:
  - id: hello
    bsah: echo hello
  - id: answer
    depends_on: [hello]
    bash: echo "$hello.output"
`,
  },
  {
    name: "xprompt.yaml",
    wrong: "outptu",
    right: "output",
    text: `name: xprompt
steps:
  - name: hello
    bash: echo hello
    outptu: {text: line}
  - name: answer
    prompt: Reply to {{ hello.text }}
`,
  },
  {
    name: "graphloop.yaml",
    wrong: "comand",
    right: "command",
    text: `workflow: graphloop
nodes:
  hello:
    type: task
    agent: bash
    comand: echo hello
    outputs: [done]
edges:
  - {from: START, to: hello}
  - {from: hello, to: END, condition: "done"}
`,
  },
  {
    name: "lango.yaml",
    wrong: "promt",
    right: "prompt",
    text: `name: lango
steps:
  - id: hello
    agent: researcher
    promt: Say hello.
  - id: answer
    agent: planner
    depends_on: [hello]
    prompt: Reply to {{hello.result}}
`,
  },
];

export const works = `name: works
description: Say hello.
nodes:
  - id: hello
    bash: echo hello
  - id: answer
    depends_on: [hello]
    bash: echo "$hello.output"
`;

export const tests = `tests:
  - name: it says hello
    expect:
      ran: [hello, answer]
      nodes: {helo: hello}
`;
