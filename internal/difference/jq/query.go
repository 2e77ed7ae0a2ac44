package jq

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/itchyny/gojq"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	// maxText bounds an expression, in bytes. The longest of public fleets has 77.
	maxText = 1 << 10
	// shown is how many bytes of one that is longer are told.
	shown = 100
	// maxPaths bounds the fields that Paths returns.
	maxPaths = 10_000
	// maxElements bounds what an expression names, in elements of paths.
	maxElements = 1_000_000
)

// Query is a jq path expression that names the parts of an object. It may be
// used by many at the same time.
type Query struct {
	setting, text string
	locate        *gojq.Code
	plain         bool
}

type written struct{ setting, text string }

const (
	// perByte is what a byte of an expression becomes, at most: of += some 250.
	perByte = 260
	// perQuery is counted beside that, in bytes of text: a short name brings a
	// function of the library.
	perQuery = 100
	// maxKept and maxShare bound the expressions that stay compiled: of all, and
	// of one project.
	maxKept  = 32 << 20
	maxShare = 8 << 20
)

// queries keeps the expressions that were read: the same few are used for
// every object. One that went is read again.
var queries = cache.NewShares[written, *Query](maxKept, maxShare)

// Parse reads a jq path expression that is written in a setting, which errors
// name, for a project, to which it counts. It sees neither the environment nor
// files.
func Parse(project, setting, text string) (*Query, error) {
	key := written{setting, text}
	if q, ok := queries.Get(key); ok {
		return q, nil
	}
	q, err := parse(setting, text)
	if err != nil {
		return nil, err
	}
	queries.Put(project, key, q, weightOf(text))
	return q, nil
}

// weightOf is about what an expression takes when it is compiled. Each of several
// patterns that are tried sets all variables of all of them.
func weightOf(text string) int64 {
	return int64(len(text)+perQuery) * perByte * int64(1+strings.Count(text, "?//"))
}

func parse(setting, text string) (*Query, error) {
	if len(text) > maxText {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read the jq path expression %q of %s of %d bytes: at most %d are taken", gitops.First(text, shown), setting, len(text), maxText).
			Do("make several expressions of it: each may name fields of its own")
	}
	q := &Query{setting: setting, text: text}
	alone, err := gojq.Parse(text) // on its own: an error is to be about what was written
	if err != nil {
		return nil, q.unreadable(err)
	}
	query, err := gojq.Parse("path(" + text + ")")
	if err != nil {
		return nil, q.unreadable(err)
	}
	if q.locate, err = gojq.Compile(query); err != nil {
		return nil, q.unreadable(err)
	}
	q.plain = isPlain(alone)
	return q, nil
}

func (q *Query) unreadable(err error) error {
	return gitops.Problemf(gitops.Invalid, "cannot read the jq path expression %q of %s: %w", q.text, q.setting, err).
		Do("write a path such as .spec.template.spec.containers[] | select(.name == \"web\") | .image")
}

// Delete returns an object without what the expression names. Where the
// expression fails on this object, it comes back as it is. One that reaches a
// bound is an error: nobody can say what it ignores. The object may share
// parts with the result, and is not changed.
func (q *Query) Delete(ctx context.Context, object map[string]any) (map[string]any, error) {
	a, err := q.ask(ctx, question{Verb: remove, Object: object})
	if err != nil || a.Failure != "" || a.Object == nil {
		return object, err
	}
	return a.Object, nil
}

// Failure tells why the expression fails on an object, of which it then names
// nothing; nil where it does not fail. No value of the object is in it.
func (q *Query) Failure(ctx context.Context, object map[string]any) error {
	a, err := q.ask(ctx, question{Verb: remove, Object: object})
	if err == nil && a.Failure != "" {
		err = errors.New(a.Failure)
	}
	return err
}

// Paths are the paths of what the expression names in an object, up to where
// it fails: texts for the fields of maps, ints for the elements of lists.
func (q *Query) Paths(ctx context.Context, object map[string]any) ([][]any, error) {
	a, err := q.ask(ctx, question{Verb: find, Object: object})
	if err != nil {
		return nil, err
	}
	if len(a.Paths) > maxPaths {
		return nil, q.stopped(fmt.Errorf("it names more than %d fields", maxPaths), fewer)
	}
	return a.Paths, nil
}

// ask evaluates where the expression belongs.
func (q *Query) ask(ctx context.Context, about question) (*answer, error) {
	about.Text = q.text
	s := shareOf(ctx)
	if err := s.over(); err != nil {
		return nil, err
	}
	a, took, err := q.evaluated(ctx, s.project, about)
	s.spend(q, took)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("cannot compare: %w", ctx.Err())
	}
	switch {
	case err == nil:
		return a, nil
	case errors.Is(err, errTime):
		return nil, q.stopped(err, "take the endless part out of it")
	case errors.Is(err, errMemory):
		return nil, q.stopped(err, "take out of it what builds large values: it only needs to name fields")
	case errors.Is(err, errNames):
		return nil, q.stopped(err, fewer)
	}
	return nil, fmt.Errorf("cannot use the jq path expression %q of %s: %w", q.text, q.setting, err)
}

// evaluated answers here or in a worker, and tells how long that took.
func (q *Query) evaluated(ctx context.Context, project string, about question) (*answer, time.Duration, error) {
	if !q.plain && hooked.Load() {
		return workers().ask(ctx, project, about)
	}
	begun := time.Now()
	about.Object = runtime.DeepCopyJSON(about.Object)
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	a, err := q.evaluate(limited, about)
	return a, time.Since(begun), err
}

const fewer = "have it name fewer fields"

func (q *Query) stopped(err error, fix string) error {
	return gitops.Problemf(gitops.Invalid, "cannot use the jq path expression %q of %s: %w", q.text, q.setting, err).Do(fix)
}
