// Package expression assesses objects by expressions of CEL, the Common
// Expression Language that admission policies and definitions of Kubernetes
// use, too.
package expression

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of what is written for one kind.
const (
	maxRules = 32
	maxText  = 16 << 10
)

// Rules assess a kind: the first whose expression is true tells the status.
// They are safe for concurrent use.
type Rules struct {
	rules  []rule
	digest string
}

type rule struct {
	status  gitops.HealthCode
	when    cel.Program
	message string
	// say makes the message; nil where it is written out.
	say cel.Program
}

// written is a rule as people write it.
type written struct {
	Status            string `json:"status"`
	Expression        string `json:"expression"`
	Message           string `json:"message"`
	MessageExpression string `json:"messageExpression"`
}

var statuses = map[string]gitops.HealthCode{
	"Healthy": gitops.Healthy, "Progressing": gitops.Progressing, "Degraded": gitops.Degraded, "Suspended": gitops.Suspended,
}

// Parse reads a list of rules, or a single expression that is true for a
// healthy object.
func Parse(text string) (*Rules, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("it has more than %d KiB", maxText>>10)
	}
	list := []written{{Status: string(gitops.Healthy), Expression: text}}
	if isList(text) {
		list = nil
		if err := cmp.Or(bounded.Alone([]byte(text)), yaml.UnmarshalStrict([]byte(text), &list)); err != nil {
			return nil, fmt.Errorf("it is no list of rules: %w", err)
		}
	}
	if len(list) > maxRules {
		return nil, fmt.Errorf("it has more than %d rules", maxRules)
	}
	sum := sha256.Sum256([]byte(text))
	out := &Rules{digest: "cel:" + hex.EncodeToString(sum[:8])}
	healthy := false
	for i, w := range list {
		r, err := w.compile()
		if err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
		healthy = healthy || r.status == gitops.Healthy
		out.rules = append(out.rules, r)
	}
	if !healthy {
		return nil, errors.New("no rule has the status Healthy: the kind would never be healthy")
	}
	return out, nil
}

// isList tells a list of rules from an expression, which may begin with a minus, and has no
// comments that begin with #.
func isList(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			return line == "-" || line == "---" || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "--- ")
		}
	}
	return false
}

// Digest is equal for equal texts.
func (r *Rules) Digest() string { return r.digest }

func (w written) compile() (r rule, err error) {
	var known bool
	if r.status, known = statuses[w.Status]; !known {
		return r, fmt.Errorf("the status %q is none of Healthy, Progressing, Degraded, Suspended", w.Status)
	}
	if r.when, err = compile(w.Expression, cel.BoolType); err != nil {
		return r, err
	}
	r.message = w.Message
	if w.MessageExpression != "" {
		r.say, err = compile(w.MessageExpression, cel.StringType)
	}
	return r, err
}
