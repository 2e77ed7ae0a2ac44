package bridge

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of where values are read from.
const (
	maxState    = 64 << 20 // bytes of a Terraform state, unpacked
	maxPath     = 1024
	maxRanges   = 1
	maxDescents = 1
)

// Field reads a field of an object by a path as kubectl's JSONPath has it.
// More than one result is separated by spaces; no result is a *gitops.Problem
// of the kind NotFound.
func Field(object map[string]any, path string) (text string, err error) {
	if len(path) > maxPath || strings.Count(path, "range") > maxRanges || strings.Count(path, "..") > maxDescents {
		return "", gitops.Problemf(gitops.Invalid, "the path %s is too expensive", excerpt(path)).Do("use no more than one range and one .. in it")
	}
	if !strings.HasPrefix(path, "{") {
		path = "{." + strings.TrimPrefix(path, ".") + "}"
	}
	// The library panics on some paths that it cannot use.
	defer func() {
		if r := recover(); r != nil {
			err = gitops.Problemf(gitops.Invalid, "cannot use the path %s: %v", excerpt(path), r)
		}
	}()
	p := jsonpath.New("field")
	if err := p.Parse(path); err != nil {
		return "", gitops.Problemf(gitops.Invalid, "cannot read the path %s: %w", excerpt(path), err)
	}
	out := &bounded{left: MaxValue}
	switch err := p.Execute(out, object); {
	case errors.Is(err, errTooLong):
		return "", gitops.Problemf(gitops.Invalid, "the field %s has more than %d bytes", excerpt(path), MaxValue)
	case err != nil || out.Len() == 0:
		return "", gitops.Problemf(gitops.NotFound, "the object has no field %s", excerpt(path))
	}
	return out.String(), nil
}

func excerpt(text string) string {
	const most = 120
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

var errTooLong = errors.New("the text is too long")

// bounded is a text that grows up to a limit.
type bounded struct {
	bytes.Buffer

	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errTooLong
	}
	return b.Buffer.Write(p)
}

// StateSecret is the name of the Secret in which Terraform's kubernetes
// backend keeps the state of a workspace.
func StateSecret(workspace, suffix string) string {
	if workspace == "" {
		workspace = "default"
	}
	return "tfstate-" + workspace + "-" + suffix
}

// StateKey is the key of that Secret.
const StateKey = "tfstate"

// Output reads an output of a Terraform state, packed by gzip as the backend
// keeps it. Dots lead into an output that is an object or a list. Texts,
// numbers and booleans are given as they are, anything else as JSON.
func Output(state []byte, output string) (string, error) {
	reader, err := gzip.NewReader(bytes.NewReader(state))
	if err != nil {
		return "", gitops.Problemf(gitops.Invalid, "cannot read the Terraform state: it is not packed as the kubernetes backend does it: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxState+1))
	if err != nil {
		return "", gitops.Problemf(gitops.Invalid, "cannot unpack the Terraform state: %w", err)
	}
	if len(text) > maxState {
		return "", gitops.Problemf(gitops.Invalid, "the Terraform state has more than %d bytes", maxState)
	}
	var content struct {
		Outputs map[string]struct {
			Value     json.RawMessage `json:"value"`
			Sensitive bool            `json:"sensitive"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal(text, &content); err != nil {
		return "", gitops.Problemf(gitops.Invalid, "the Terraform state is no JSON") // its text may hold secrets
	}
	name, path, _ := strings.Cut(output, ".")
	found, ok := content.Outputs[name]
	if !ok {
		var known []string
		for k := range content.Outputs {
			known = append(known, k)
		}
		return "", gitops.Problemf(gitops.NotFound, "the Terraform state has no output %q%s", name, gitops.DidYouMean(name, known))
	}
	if found.Sensitive {
		return "", gitops.Problemf(gitops.Forbidden, "the output %q is marked sensitive", name).
			Do("write it to a Secret and refer to that, or take the mark away in Terraform")
	}
	return leaf(found.Value, output, path)
}

// leaf follows a path into an output's value.
func leaf(raw json.RawMessage, output, path string) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "", gitops.Problemf(gitops.Invalid, "the output %q cannot be read", output)
	}
	value, ok := valueAt(value, path)
	if !ok || value == nil {
		return "", gitops.Problemf(gitops.NotFound, "the Terraform state has no output %q", output)
	}
	var text string
	switch v := value.(type) {
	case string:
		text = v
	case json.Number, bool:
		text = fmt.Sprint(v)
	default:
		written, err := json.Marshal(v)
		if err != nil {
			return "", gitops.Problemf(gitops.Invalid, "the output %q cannot be written", output)
		}
		text = string(written)
	}
	if len(text) > MaxValue {
		return "", gitops.Problemf(gitops.Invalid, "the output %q has %d bytes, more than %d", output, len(text), MaxValue)
	}
	return text, nil
}
