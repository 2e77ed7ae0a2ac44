package bridge

import (
	"bytes"
	"errors"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of where values are read from.
const (
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
	out := &limited{left: MaxValue}
	switch err := p.Execute(out, object); {
	case errors.Is(err, errTooLong):
		return "", gitops.Problemf(gitops.Invalid, "the field %s has more than %d bytes", excerpt(path), MaxValue)
	case err != nil || out.kept.Len() == 0:
		return "", gitops.Problemf(gitops.NotFound, "the object has no field %s", excerpt(path))
	}
	return out.kept.String(), nil
}

func excerpt(text string) string {
	const most = 120
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

var errTooLong = errors.New("the text is too long")

// limited is a text that grows up to a limit.
type limited struct {
	kept bytes.Buffer
	left int
}

func (b *limited) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errTooLong
	}
	return b.kept.Write(p)
}
