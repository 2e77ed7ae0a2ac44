package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	// maxCauses are told of what does not fit, of each chart.
	maxCauses = 24
	// maxText bounds what is told of all charts, in bytes.
	maxText = 8 << 10
)

// text says what does not fit, without more than the first few causes: each
// choice of a schema repeats those of the choices in it.
func text(misfit *jsonschema.ValidationError) string {
	left := maxCauses
	few := first(misfit, &left)
	// The first line only says that something does not fit.
	_, out, _ := strings.Cut(few.Error(), "\n")
	if left < 0 {
		out += "\n… and more"
	}
	return cut(out)
}

// first copies an error with the causes that are left to tell.
func first(e *jsonschema.ValidationError, left *int) *jsonschema.ValidationError {
	out := *e
	out.Causes = nil
	for _, cause := range e.Causes {
		if *left--; *left < 0 {
			break
		}
		out.Causes = append(out.Causes, first(cause, left))
	}
	return &out
}

// shortened is an error of the library about the schema, of which it may say
// as much as about values.
func shortened(err error) error {
	var broken *jsonschema.SchemaValidationError
	var misfit *jsonschema.ValidationError
	if errors.As(err, &broken) && errors.As(broken.Err, &misfit) {
		return fmt.Errorf("it is no valid JSON Schema:\n%s", text(misfit))
	}
	return errors.New(cut(err.Error()))
}

func cut(text string) string { return gitops.First(text, maxText) }
