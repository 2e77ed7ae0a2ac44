package kustomize

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// optionsKey is where the flags are written.
const optionsKey = "kustomize.buildOptions of ConfigMap argocd-cm"

// flags are the flags of kustomize build that change what is built.
type flags struct {
	// helm allows charts.
	helm bool
	// anywhere lets kustomizations read files outside their own folder, but
	// inside the repository.
	anywhere bool
	// managedBy adds the label app.kubernetes.io/managed-by.
	managedBy bool
	reorder   krusty.ReorderOption
	// apiVersions are added to the cluster's for charts.
	apiVersions []string
	// warnings tell of flags that have no effect here.
	warnings []string
}

// The flags that have no effect here, because nothing is run, or because they
// are about messages. Those of the first list are followed by a value.
var (
	silentWithValue = []string{"env", "e", "mount", "network-name", "v", "helm-kube-version"}
	silent          = []string{"as-current-user", "network", "enable-star", "stack-trace", "logtostderr", "alsologtostderr", "helm-debug",
		// Plugins are refused where a kustomization has one: one without
		// builds as it would with the flag.
		"enable-alpha-plugins", "enable-exec"}
)

// parseFlags reads the installation's build options.
func parseFlags(text string) (flags, error) {
	f := flags{reorder: krusty.ReorderOptionUnspecified}
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		if len(words[i]) < 2 || words[i][0] != '-' {
			return f, badFlag(words[i], "it is no flag")
		}
		name, value, has := strings.Cut(strings.TrimLeft(words[i], "-"), "=")
		if wantsValue(name) && !has {
			if i++; i == len(words) {
				return f, badFlag(words[i-1], "its value is missing")
			}
			value = words[i]
		}
		if err := f.set(name, value, words[min(i, len(words)-1)]); err != nil {
			return f, err
		}
	}
	return f, nil
}

func wantsValue(name string) bool {
	return slices.Contains(silentWithValue, name) || slices.Contains([]string{"load-restrictor", "reorder", "helm-command", "helm-api-versions", "output", "o"}, name)
}

func (f *flags) set(name, value, word string) error {
	switch name {
	case "enable-helm":
		return on(&f.helm, value, word)
	case "enable-managedby-label":
		return on(&f.managedBy, value, word)
	case "helm-command":
		f.warnings = append(f.warnings, "--helm-command has no effect: charts are rendered without running a program")
	case "helm-api-versions":
		f.apiVersions = append(f.apiVersions, strings.Split(value, ",")...)
	case "load-restrictor":
		return f.restrict(value)
	case "reorder":
		return f.order(value)
	case "output", "o":
		return badFlag("--"+name, "it writes manifests to a file, and nothing is left to deploy")
	default:
		if !slices.Contains(silent, name) && !slices.Contains(silentWithValue, name) {
			return badFlag(word, "it is unknown")
		}
	}
	return nil
}

// on reads a flag that is on without a value.
func on(flag *bool, value, word string) error {
	is, err := strconv.ParseBool(cmp.Or(value, "true"))
	if err != nil {
		return badFlag(word, "it is true or false")
	}
	*flag = is
	return nil
}

func (f *flags) restrict(value string) error {
	switch value {
	case "LoadRestrictionsNone":
		f.anywhere = true
	case "LoadRestrictionsRootOnly":
		f.anywhere = false
	default:
		return badFlag("--load-restrictor "+value, "it is LoadRestrictionsNone or LoadRestrictionsRootOnly")
	}
	return nil
}

func (f *flags) order(value string) error {
	order := krusty.ReorderOption(value)
	if order != krusty.ReorderOptionLegacy && order != krusty.ReorderOptionNone {
		return badFlag("--reorder "+value, "it is legacy or none")
	}
	f.reorder = order
	return nil
}

func badFlag(word, why string) error {
	return gitops.Problemf(gitops.Invalid, "cannot use the build option %s: %s", word, why).Do("correct " + optionsKey)
}

// bundled is the release of Kustomize whose library is built in.
const bundled = "v5.8.1"

// warn tells of settings that have no effect.
func (f *flags) warn(s *source.Source) {
	for _, w := range f.warnings {
		s.Warn("BuildOption", w+"; it is set in "+optionsKey, gitops.Origin{})
	}
	if s.Spec.Kustomize == nil {
		return
	}
	if v := s.Spec.Kustomize.Version; v != "" && strings.TrimPrefix(v, "v") != strings.TrimPrefix(bundled, "v") {
		s.Warn("KustomizeVersion", "kustomize.version "+v+" has no effect: Kustomize "+bundled+" is built in, and programs of kustomize.path are not run", s.Tree.Where(s.Path, 0))
	}
}
