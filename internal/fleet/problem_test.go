package fleet

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestWordsOfAClusterAreCut(t *testing.T) {
	c := clusterOf(gitops.Cluster{Name: "spoke", Server: "https://spoke.test"})
	err := &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 500, Message: strings.Repeat("x", 1<<20)}}
	text := c.problem("list pods", err).Error()
	if !strings.HasPrefix(text, "cannot list pods on cluster spoke: xxx") || len(text) > 2*maxWords {
		t.Errorf("%d bytes of its answer are told: %.100s", len(text), text)
	}
}
