package target

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// What does not answer is named: where that is a cluster of an application, it is not the hub.
func TestExplain(t *testing.T) {
	wire := &url.Error{Op: "Get", URL: "https://prod:6443", Err: errors.New("connection refused")}
	h := &Hub{Config: &rest.Config{Host: "https://hub:6443"}, From: "the kubeconfig"}
	for want, err := range map[string]error{
		"cannot reach the hub at https://hub:6443 (the kubeconfig): connection refused": wire,
		"cannot list events in cluster prod: ":                                          gitops.Problemf(gitops.Unreachable, "cannot list events in cluster prod: %w", wire),
	} {
		if got := h.Explain(err).Error(); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
