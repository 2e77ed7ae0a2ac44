package e2e

import (
	"os/exec"
	"strings"
	"testing"
)

// TestNotReadyInTime expects to be told which bound was reached, and what the cluster waited for then.
func TestNotReadyInTime(t *testing.T) {
	out, err := exec.Command(binary(), "--ready-within=1ms").CombinedOutput()
	if err == nil {
		t.Fatal("a cluster was ready within a millisecond")
	}
	for _, want := range []string{"not ready within 1ms", "kube-apiserver is missing"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the error does not say %q:\n%s", want, out)
		}
	}
}
