package kubeconfig

import (
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const two = `
current-context: a
clusters: [{name: a, cluster: {server: "https://a.test"}}, {name: b, cluster: {server: "https://b.test"}}, {name: c, cluster: {server: hunter2}}]
contexts: [{name: a, context: {cluster: a, user: a}}, {name: b, context: {cluster: b, user: a}}, {name: c, context: {cluster: c, user: a}}]
users: [{name: a, user: {token: t}}]
`

func TestRead(t *testing.T) {
	for context, want := range map[string]string{"": "https://a.test", "b": "https://b.test"} {
		c, err := Read([]byte(two), context)
		if err != nil || c.Server != want || c.Login.BearerToken != "t" {
			t.Errorf("context %q: got %s, %v", context, c.Server, err)
		}
	}
	for context, want := range map[string]string{"c": "https address", "hunter2": "no context"} {
		_, err := Read([]byte(two), context)
		var p *gitops.Problem
		if !errors.As(err, &p) || p.Kind != gitops.Invalid || !strings.Contains(p.Error(), want) || strings.Contains(p.Error(), "hunter2") {
			t.Errorf("context %q: got %v, want %q", context, err, want)
		}
	}
}
