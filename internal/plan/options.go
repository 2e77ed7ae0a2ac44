package plan

import (
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// DefaultOptions are the sync options of an application that sets none.
func DefaultOptions() gitops.Options {
	return gitops.Options{Validate: true, PrunePolicy: "foreground"}
}

// ApplyOptions sets what a list of sync options says, "Name=value" each, over
// the given ones. Unknown options are left alone: they are for others.
func ApplyOptions(o gitops.Options, list []string) gitops.Options {
	for _, item := range list {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		set, ok := optionSetters[name]
		if ok {
			set(&o, value)
		}
	}
	return o
}

var optionSetters = map[string]func(*gitops.Options, string){
	"Validate":        func(o *gitops.Options, v string) { o.Validate = v != "false" },
	"Replace":         func(o *gitops.Options, v string) { o.Replace = v == "true" },
	"Force":           func(o *gitops.Options, v string) { o.Force = v == "true" },
	"ServerSideApply": func(o *gitops.Options, v string) { o.ServerSide = v == "true" },
	"PruneLast":       func(o *gitops.Options, v string) { o.PruneLast = v == "true" },
	"Prune": func(o *gitops.Options, v string) {
		o.PruneDisabled = v == "false"
		o.NeedsConfirming = v == "confirm"
	},
	"Delete":                      func(o *gitops.Options, v string) { o.DeleteDisabled = v == "false" },
	"PrunePropagationPolicy":      func(o *gitops.Options, v string) { o.PrunePolicy = v },
	"SkipDryRunOnMissingResource": func(o *gitops.Options, v string) { o.SkipDryRun = v == "true" },
	"FailOnSharedResource":        func(o *gitops.Options, v string) { o.FailOnShared = v == "true" },
	"RespectIgnoreDifferences":    func(o *gitops.Options, v string) { o.RespectIgnored = v == "true" },
}

// objectOptions puts an object's own annotations over the application's options.
func objectOptions(app gitops.Options, annotations map[string]string) gitops.Options {
	o := ApplyOptions(app, words(annotations[gitops.AnnotationSync]))
	if annotations[helmResourcePolicy] == "keep" {
		o.DeleteDisabled = true
		o.PruneDisabled = true
	}
	o.IgnoreHealth = annotations[gitops.AnnotationIgnore] == "true"
	for _, word := range words(annotations[gitops.AnnotationCompare]) {
		if word == "IgnoreExtraneous" {
			o.IgnoreExtra = true
		}
	}
	return o
}
