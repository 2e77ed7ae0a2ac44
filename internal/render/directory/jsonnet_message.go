package directory

import "errors"

// message is what the engine and a worker say to each other; one field is
// set. The engine says Evaluate, the worker Import as often as it needs to,
// each answered by Content, and Result at the end.
type message struct {
	Evaluate *evaluation `json:",omitempty"`
	Import   *importing  `json:",omitempty"`
	Content  *content    `json:",omitempty"`
	Result   *result     `json:",omitempty"`
}

// evaluation is a file to evaluate.
type evaluation struct {
	File      string
	Text      []byte
	Variables []variable
	// Stack bounds calls inside calls.
	Stack int
}

type variable struct {
	Name, Value string
	// Code: the value is Jsonnet. Top: it is an argument of the file's
	// function, else an external variable.
	Code, Top bool
}

type importing struct{ From, Name string }

// content is an imported file, or why there is none.
type content struct {
	Path    string
	Text    []byte
	Missing string
}

// result is what a file evaluates to, or the interpreter's error.
type result struct {
	Text  []byte
	Error string
}

// maxText bounds what a file may evaluate to, and maxError what is told of why it
// does not, in bytes: a file may say what that is.
const (
	maxText  = 32 << 20
	maxError = 64 << 10
)

var errMessage = errors.New("a message is none that is expected now")
