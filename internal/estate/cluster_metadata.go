package estate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// checkMetadata tells of each label and annotation that a Secret cannot have.
func checkMetadata(want *api.MemberWish, unfit *api.Unfit) {
	for _, name := range slices.Sorted(maps.Keys(want.Labels)) {
		checkLabel(name, want.Labels[name], unfit)
	}
	for _, name := range slices.Sorted(maps.Keys(want.Annotations)) {
		switch {
		case bookkeeping[name]:
			unfit.Add("annotations", fmt.Sprintf("%q tells what the Secret is, and not the cluster: leave it out", name))
		case len(validation.IsQualifiedName(strings.ToLower(name))) > 0:
			unfit.Add("annotations", fmt.Sprintf("%q is no name of an annotation: %s", gitops.First(name, mostShown), nameRule))
		}
	}
}

// nameRule says what Kubernetes takes as the name of a label or an annotation.
const nameRule = "use up to 63 letters, digits, dots, dashes and underscores, which begin and end with a letter or digit, after a DNS name and a slash if you like"

func checkLabel(name, value string, unfit *api.Unfit) {
	switch {
	case bookkeeping[name]:
		unfit.Add("labels", fmt.Sprintf("%q tells what the Secret is, and not the cluster: leave it out", name))
	case len(validation.IsQualifiedName(name)) > 0:
		unfit.Add("labels", fmt.Sprintf("%q is no name of a label: %s", gitops.First(name, mostShown), nameRule))
	case len(validation.IsValidLabelValue(value)) > 0:
		unfit.Add("labels", fmt.Sprintf("the value %q of %s is none for a label: use up to 63 letters, digits, dots, dashes and underscores, "+
			"which begin and end with a letter or digit, or make it an annotation, which takes any text", gitops.First(value, mostShown), name))
	}
}

// mostShown are the bytes of what was sent that a message repeats.
const mostShown = 80
