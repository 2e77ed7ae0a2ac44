package expression

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Limits of one evaluation.
const (
	// maxCost is in CEL's own units: about a step, or ten bytes of text.
	maxCost = 1_000_000
	maxTime = time.Second
	// checkEvery is the number of steps of a loop between two looks at the clock.
	checkEvery = 100
	maxNesting = 100
	// maxMessage bounds a message that an expression makes, in bytes.
	maxMessage = 4 << 10
)

// parts are the fields of an object that expressions can name without `object.`.
var parts = []string{"metadata", "spec", "status"}

// environment is what expressions know: the standard library, without
// functions whose result may be far longer than what they are given.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.Variable("object", cel.DynType), cel.OptionalTypes(), cel.CrossTypeNumericComparisons(true),
		cel.ParserRecursionLimit(maxNesting), cel.ParserExpressionSizeLimit(maxText),
	}
	for _, p := range parts {
		options = append(options, cel.Variable(p, cel.DynType))
	}
	return cel.NewEnv(options...)
})

func compile(text string, want *cel.Type) (cel.Program, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the expression is empty")
	}
	env, err := environment()
	if err != nil {
		return nil, fmt.Errorf("cannot set up CEL: %w", err)
	}
	ast, issues := env.Compile(text)
	if err := issues.Err(); err != nil {
		return nil, fmt.Errorf("cannot compile the expression: %s", strings.Join(strings.Fields(err.Error()), " "))
	}
	if got := ast.OutputType(); !got.IsExactType(want) && !got.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("the expression gives %s where %s belongs", got, want)
	}
	return env.Program(ast, cel.CostLimit(maxCost), cel.InterruptCheckFrequency(checkEvery))
}

// Health assesses an object. A status that speaks of an older spec counts for
// nothing. An expression that names a field which is not there is not true.
func (r *Rules) Health(object map[string]any) (gitops.Health, error) {
	if stale(object) {
		return gitops.Health{Code: gitops.Progressing, Message: "Waiting for its controller to see the newest spec"}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	in := variables(object)
	for i, rule := range r.rules {
		holds, err := rule.holds(ctx, in)
		if err != nil {
			return gitops.Health{}, fmt.Errorf("rule %d: %w", i+1, err)
		}
		if holds {
			return gitops.Health{Code: rule.status, Message: rule.text(ctx, in)}, nil
		}
	}
	return gitops.Health{Code: gitops.Progressing, Message: "None of its ready expressions is true yet"}, nil
}

func variables(object map[string]any) map[string]any {
	in := map[string]any{"object": object}
	for _, p := range parts {
		in[p] = object[p]
		if object[p] == nil {
			in[p] = map[string]any{}
		}
	}
	return in
}

func (r *rule) holds(ctx context.Context, in map[string]any) (bool, error) {
	out, _, err := r.when.ContextEval(ctx, in)
	if absent(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	b, ok := out.(types.Bool)
	if !ok {
		return false, fmt.Errorf("the expression gives %s where bool belongs", out.Type())
	}
	return bool(b), nil
}

// absent tells an expression that names a field, or an item, which is not there.
func absent(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return strings.HasPrefix(text, "no such key") || strings.HasPrefix(text, "no such attribute") || strings.HasPrefix(text, "index out of bounds")
}

// text is the message; one that cannot be made is told instead.
func (r *rule) text(ctx context.Context, in map[string]any) string {
	if r.say == nil {
		return r.message
	}
	out, _, err := r.say.ContextEval(ctx, in)
	if absent(err) {
		return r.message
	}
	if err != nil {
		return "messageExpression: " + err.Error()
	}
	said, ok := out.(types.String)
	if !ok {
		return r.message
	}
	return strings.ToValidUTF8(string(said)[:min(len(said), maxMessage)], "")
}

func stale(object map[string]any) bool {
	meta, _ := object["metadata"].(map[string]any)
	status, _ := object["status"].(map[string]any)
	generation, ok := meta["generation"].(int64)
	observed, known := status["observedGeneration"].(int64)
	return ok && known && observed < generation
}
