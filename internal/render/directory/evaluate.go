package directory

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/go-jsonnet"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	// maxStack bounds calls inside calls of a Jsonnet program.
	maxStack = 500
	// maxText bounds what a file may evaluate to, and maxError what is told of why it
	// does not, in bytes: a file may say what that is.
	maxText  = 32 << 20
	maxError = 64 << 10
)

// evaluation is a file to evaluate.
type evaluation struct {
	file      string
	text      []byte
	variables []variable
}

type variable struct {
	name, value string
	// code: the value is Jsonnet. top: it is an argument of the file's
	// function, else an external variable.
	code, top bool
}

// result is what a file evaluates to; a panic of the interpreter is its error. Nothing
// stops the interpreter, and nothing but the process bounds what it takes.
func (e evaluation) result(imports jsonnet.Importer) (out string, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = "", errors.New(brief(fmt.Sprintf("the interpreter gave up: %v", p)))
		}
	}()
	out, err = e.run(imports)
	if err != nil {
		return "", errors.New(brief(err.Error()))
	}
	if len(out) > maxText {
		return "", fmt.Errorf("the result has %d bytes, more than the limit of %d", len(out), maxText)
	}
	return out, nil
}

// brief bounds what an error says, and the lines below it that say where, each by half.
func brief(text string) string {
	said, where, lines := strings.Cut(text, "\n")
	if said = gitops.First(said, maxError/2); !lines {
		return said
	}
	return said + "\n" + gitops.First(where, maxError/2)
}

func (e evaluation) run(imports jsonnet.Importer) (string, error) {
	vm := jsonnet.MakeVM()
	vm.MaxStack = maxStack
	vm.SetTraceOut(io.Discard)
	vm.Importer(imports)
	for _, v := range e.variables {
		set := vm.ExtVar
		switch {
		case v.top && v.code:
			set = vm.TLACode
		case v.top:
			set = vm.TLAVar
		case v.code:
			set = vm.ExtCode
		}
		set(v.name, v.value)
	}
	return vm.EvaluateSnippet(e.file, string(e.text)) //nolint:staticcheck // its successors resolve imports from elsewhere, or read the file again
}
