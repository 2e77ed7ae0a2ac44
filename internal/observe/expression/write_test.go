package expression

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestListsAndExpressionsAreToldApart: both are a text in a ConfigMap, where people write comments.
func TestListsAndExpressionsAreToldApart(t *testing.T) {
	const rule = "- {status: Healthy, expression: 'status.ok'}\n"
	cases := map[string]struct {
		reason, text string
		want         gitops.HealthCode
	}{
		"Expression": {"an expression", "status.ok", gitops.Healthy},
		"Minus":      {"one that begins with a minus", "-1 < status.n", gitops.Healthy},
		"Comment":    {"one with a comment of CEL", "// it says so\nstatus.ok", gitops.Healthy},
		"List":       {"a list of rules", rule, gitops.Healthy},
		"Indented":   {"one that is indented", "\n  " + rule, gitops.Healthy},
		"Told":       {"one with a comment of YAML before it", "# it says so\n\n" + rule, gitops.Healthy},
		"Document":   {"one that begins as documents do", "---\n" + rule, gitops.Healthy},
		"Marked":     {"one that begins with a comment there", "--- # of the rollout\n" + rule, gitops.Healthy},
		"Below":      {"one whose first rule begins on a line of its own", "-\n  status: Healthy\n  expression: status.ok\n", gitops.Healthy},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rules, err := Parse(tc.text)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if h, err := rules.Health(map[string]any{"status": map[string]any{"ok": true, "n": int64(1)}}); err != nil || h.Code != tc.want {
				t.Errorf("%s: got %+v, %v", tc.reason, h, err)
			}
		})
	}
}

// TestMistakesNameTheirRule: a list may be long.
func TestMistakesNameTheirRule(t *testing.T) {
	const fine = "- {status: Healthy, expression: 'true'}\n"
	cases := map[string]struct{ reason, text, want string }{
		"Expression": {"an expression that is none", fine + "- {status: Degraded, expression: 'status.('}", "rule 2: cannot compile the expression: ERROR: <input>:1:8: Syntax error"},
		"Nothing":    {"none at all", fine + "- {status: Degraded}", "rule 2: the expression is empty"},
		"Type":       {"one that gives a number", "- {status: Healthy, expression: 'size(status)'}", "rule 1: the expression gives int where bool belongs"},
		"Message":    {"a message that is a number", "- {status: Healthy, expression: 'true', messageExpression: '1'}", "rule 1: the expression gives int where string belongs"},
		"NoMessage":  {"a message of blanks", "- {status: Healthy, expression: 'true', messageExpression: ' '}", "rule 1: the expression is empty"},
		"Name":       {"a name that expressions do not know", "stauts.ok", "undeclared reference to 'stauts'"},
		"Status":     {"a status with another case", fine + "- {status: degraded, expression: 'true'}", `rule 2: the status "degraded" is none of Healthy, Progressing, Degraded, Suspended`},
		"Documents":  {"a rule behind a mark", "- {status: Healthy, expression: 'true'}\n---\n- {status: Degraded, expression: 'true'}", "it is no list of rules: line 3: another document begins"},
		"Field":      {"a field twice", "- {status: Healthy, status: Degraded, expression: 'true'}", "it is no list of rules"},
		"Lines":      {"what CEL says is one line", "status.ok &&\n", "cannot compile"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(tc.text)
			if err == nil || !strings.Contains(err.Error(), tc.want) || tc.want != "it is no list of rules" && strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: got %v; want %q", tc.reason, err, tc.want)
			}
		})
	}
}

// TestErrorsOfExpressions: a field that is not there makes an expression false; one of another type than it was
// written for is a mistake, and nobody knows the health.
func TestErrorsOfExpressions(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		status       map[string]any
		want         gitops.HealthCode
		message, err string
	}{
		"Type":     {reason: "a text that is compared with a number", text: "status.n > 1", status: map[string]any{"n": "2"}, err: "rule 1: no such overload"},
		"Null":     {reason: "null is no text", text: "status.n.startsWith('a')", status: map[string]any{"n": nil}, err: "rule 1: no such overload"},
		"Result":   {reason: "a field that is no flag", text: "status.n", status: map[string]any{"n": "yes"}, err: "rule 1: the expression gives string where bool belongs"},
		"Second":   {reason: "the rule is named", text: "- {status: Degraded, expression: 'status.bad'}\n- {status: Healthy, expression: 'status.n > 1'}", status: map[string]any{"n": "2"}, err: "rule 2: "},
		"Or":       {reason: "what is there may decide", text: "status.gone || status.n == 1", status: map[string]any{"n": int64(1)}, want: gitops.Healthy},
		"Optional": {reason: "a field may be asked for", text: "status.?gone.orValue('x') == 'x'", status: map[string]any{}, want: gitops.Healthy},
		"Message":  {reason: "a message that cannot be made says so", text: "- {status: Healthy, expression: 'true', messageExpression: \"'a' + status.n\"}", status: map[string]any{"n": int64(1)}, want: gitops.Healthy, message: "messageExpression: no such overload"},
		"NoText":   {reason: "one that is no text is left out", text: "- {status: Healthy, expression: 'true', message: m, messageExpression: status.n}", status: map[string]any{"n": int64(1)}, want: gitops.Healthy, message: "m"},
		"Long":     {reason: "a long one is cut, where a letter ends", text: "- {status: Healthy, expression: 'true', messageExpression: \"'x' + status.n\"}", status: map[string]any{"n": strings.Repeat("é", maxMessage)}, want: gitops.Healthy, message: "x" + strings.Repeat("é", maxMessage/2-1)},
		"Same":     {reason: "a status of this spec counts", text: "true", status: map[string]any{"observedGeneration": int64(3)}, want: gitops.Healthy},
		"Newer":    {reason: "one of a newer spec counts, too", text: "true", status: map[string]any{"observedGeneration": int64(4)}, want: gitops.Healthy},
		"Unknown":  {reason: "so does one that does not say", text: "true", status: map[string]any{"observedGeneration": "x"}, want: gitops.Healthy},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rules, err := Parse(tc.text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := rules.Health(map[string]any{"metadata": map[string]any{"generation": int64(3)}, "status": tc.status})
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s: got %+v, %v; want %q", tc.reason, got, err, tc.err)
				}
				return
			}
			if err != nil || got.Code != tc.want || got.Message != tc.message {
				t.Errorf("%s: got %+v, %v; want %s %q", tc.reason, got, err, tc.want, tc.message)
			}
		})
	}
}
