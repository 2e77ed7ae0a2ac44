package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// DefaultOptions are the sync options of an application that sets none.
func DefaultOptions() gitops.Options {
	return gitops.Options{Validate: true, PrunePolicy: gitops.DeleteForeground}
}

// ApplyOptions sets what a list of sync options says, "Name=value" each, over
// the given ones. What Mistakes tells of has no effect.
func ApplyOptions(o gitops.Options, list []string) gitops.Options {
	for _, item := range list {
		applyOption(&o, item)
	}
	return o
}

func applyOption(o *gitops.Options, item string) {
	name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
	if known := options[name]; known.set != nil && slices.Contains(known.values, value) {
		known.set(o, value)
	}
}

// option is a sync option: what it may say, what that sets, and what the
// reference tells of it. Those that steer no action have no setter.
type option struct {
	values []string
	set    func(*gitops.Options, string)
	tells  string
}

var (
	yesOrNo     = []string{"true", "false"}
	orConfirm   = []string{"true", "false", "confirm"}
	propagation = []string{string(gitops.DeleteForeground), string(gitops.DeleteBackground), string(gitops.DeleteOrphan)}
)

var options = map[string]option{
	v1alpha1.SyncOptionValidate: {
		yesOrNo, func(o *gitops.Options, v string) { o.Validate = v != "false" },
		"with false, fields that the cluster does not know are ignored",
	},
	v1alpha1.SyncOptionReplace: {
		yesOrNo, func(o *gitops.Options, v string) { o.Replace = v == "true" },
		"with true, an object is replaced as a whole, with the fields of other field managers",
	},
	v1alpha1.SyncOptionForce: {
		yesOrNo, func(o *gitops.Options, v string) { o.Force = v == "true" },
		"with true, an object that cannot be changed is deleted and created again",
	},
	v1alpha1.SyncOptionServerSideApply: {yesOrNo, nil, "no effect: server-side apply is always used"},
	v1alpha1.SyncOptionPruneLast: {
		yesOrNo, func(o *gitops.Options, v string) { o.PruneLast = v == "true" },
		"with true, objects are pruned after the last wave is healthy",
	},
	v1alpha1.SyncOptionPrune: {orConfirm, func(o *gitops.Options, v string) {
		o.PruneDisabled = v == "false"
		o.NeedsConfirming = v == "confirm"
	}, "with false, a sync does not prune the object; with confirm, it prunes it after somebody has confirmed that: `causeway approve`"},
	v1alpha1.SyncOptionDelete: {orConfirm, func(o *gitops.Options, v string) {
		o.DeleteDisabled = v == "false"
		o.ConfirmDelete = v == "confirm"
	}, "with false, the object stays when its Application is deleted, as with `helm.sh/resource-policy: keep`; with confirm, [somebody has to confirm its deletion](../how-to/deletion.md#ask-a-person-first)"},
	v1alpha1.SyncOptionPrunePropagationPolicy: {
		propagation, func(o *gitops.Options, v string) { o.PrunePolicy = gitops.Propagation(v) },
		"the propagation policy of a prune, which decides about the objects that the pruned object owns; foreground by default",
	},
	v1alpha1.SyncOptionSkipDryRunOnMissingResource: {
		yesOrNo, func(o *gitops.Options, v string) { o.SkipDryRun = v == "true" },
		"not needed: a sync waits for a kind whose CustomResourceDefinition it applies",
	},
	v1alpha1.SyncOptionFailOnSharedResource: {
		yesOrNo, func(o *gitops.Options, v string) { o.FailOnShared = v == "true" },
		"with true, a sync fails when an object belongs to another application",
	},
	v1alpha1.SyncOptionRespectIgnoreDifferences: {
		yesOrNo, func(o *gitops.Options, v string) { o.RespectIgnored = v == "true" },
		"with true, a sync does not change fields whose differences are ignored",
	},
	v1alpha1.SyncOptionClientSideApplyMigration: {
		yesOrNo, func(o *gitops.Options, v string) { o.KeepOwners = v == "false" },
		"with false, fields that `kubectl apply` manages stay with that manager, and are not removed when they leave the sources; the annotation `" +
			v1alpha1.AnnotationClientSideApplyMigrationManager + "`, on the Application or an object, names one more field manager whose fields are taken over",
	},
	v1alpha1.SyncOptionApplyOutOfSyncOnly: {yesOrNo, nil, "an object that is in sync is never applied; with true, the results do not list it either, and no wave waits for its health"},
	v1alpha1.SyncOptionCreateNamespace:    {yesOrNo, nil, "with true, the namespace of the destination is created, with `managedNamespaceMetadata`"},
	gitops.OptionAtomic:                   {yesOrNo, nil, "with true, a sync that does not become healthy [is undone](../how-to/atomic-sync.md); Argo CD does not have it"},
}

// Option is a sync option as the reference has it.
type Option struct {
	Name   string
	Values []string
	// Tells is what it does, in Markdown.
	Tells string
}

// Options are all sync options, by name.
func Options() []Option {
	out := make([]Option, 0, len(options))
	for _, name := range slices.Sorted(maps.Keys(options)) {
		out = append(out, Option{Name: name, Values: options[name].values, Tells: options[name].tells})
	}
	return out
}

// Mistakes tells of each item of a list of sync options that means nothing:
// an unknown name, or a value that the option does not have.
func Mistakes(list []string) []string {
	var out []string
	for _, item := range list[:min(len(list), mostWords)] { // what has more is refused
		if mistake := mistakeIn(item); mistake != nil {
			out = append(out, mistake())
		}
	}
	return out
}

// mistakeIn makes the text of what is wrong with a sync option; nil when nothing is.
func mistakeIn(item string) func() string {
	name, value, hasValue := strings.Cut(strings.TrimSpace(item), "=")
	known, ok := options[name]
	switch {
	case name == "" && !hasValue:
		return nil
	case !ok:
		return func() string {
			return fmt.Sprintf("the sync option %q is not known and has no effect%s", name, gitops.DidYouMean(name, slices.Collect(maps.Keys(options))))
		}
	case !slices.Contains(known.values, value):
		return func() string {
			return fmt.Sprintf("the sync option %s has no value %q: write one of %s", name, value, strings.Join(known.values, ", "))
		}
	}
	return nil
}

// unread reports whether sync options are too long to be read.
func unread(annotations map[string]string) bool {
	return len(annotations[gitops.AnnotationSync]) > gitops.MaxSteering
}

// objectOptions puts an object's own annotations over the application's options.
// Options that are too long to be read keep the object: they may say so.
func objectOptions(app gitops.Options, annotations map[string]string) gitops.Options {
	o := app
	if unread(annotations) {
		o.PruneDisabled, o.DeleteDisabled = true, true
	}
	for item := range words(annotations[gitops.AnnotationSync]) {
		applyOption(&o, item)
	}
	if annotations[helmResourcePolicy] == "keep" {
		o.DeleteDisabled = true
		o.PruneDisabled = true
	}
	o.IgnoreHealth = annotations[gitops.AnnotationIgnore] == "true"
	o.Migrate = cmp.Or(annotations[v1alpha1.AnnotationClientSideApplyMigrationManager], o.Migrate)
	return compareOptions(o, annotations)
}

// compareOptions puts the compare-options of an object, or of the Application,
// over the given ones. IncludeMutationWebhook says what always is: what the
// cluster's webhooks change is part of a dry run.
func compareOptions(o gitops.Options, annotations map[string]string) gitops.Options {
	for word := range words(annotations[gitops.AnnotationCompare]) {
		switch word {
		case "IgnoreExtraneous":
			o.IgnoreExtra = true
		case "ServerSideDiff=false":
			o.NoDryRun = true
		case "ServerSideDiff=true":
			o.NoDryRun = false
		}
	}
	return o
}
