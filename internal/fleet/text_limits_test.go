package fleet

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestFailedAPIsAreNamedWithinBounds: a cluster names as many APIs that do not
// answer as it likes, with names of any length.
func TestFailedAPIsAreNamedWithinBounds(t *testing.T) {
	failed := map[schema.GroupVersion]error{
		{Group: strings.Repeat("a", 1<<20), Version: "v1"}: errors.New("503"),
	}
	for i := range 2 * maxFailed {
		failed[schema.GroupVersion{Group: fmt.Sprintf("g%03d.test", i), Version: "v1"}] = errors.New("503")
	}
	names, more := namesOf(failed)
	if len(names) != maxFailed || more != maxFailed+1 || names[0] != "g000.test/v1" {
		t.Errorf("%d names and %d more, the first %.40q", len(names), more, names[0])
	}
}

// TestVersionIsKeptWithinBounds: the version is a label of a metric.
func TestVersionIsKeptWithinBounds(t *testing.T) {
	long := "v1.36.3" + strings.Repeat("9", 1<<20)
	facts := factsOf(long, newKinds(nil, nil))
	for what, text := range map[string]string{"facts": facts.KubeVersion, "state": versionText(long)} {
		if len(text) > maxVersionText+len("…") || !strings.HasSuffix(text, "…") {
			t.Errorf("%s: %d bytes", what, len(text))
		}
	}
	if got := factsOf("v1.36.3-eks-1", newKinds(nil, nil)).KubeVersion; got != "1.36.3" {
		t.Errorf("got %q", got)
	}
}
