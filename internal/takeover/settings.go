package takeover

import (
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// effective are the keys of argocd-cm that mean here what they mean to Argo CD.
var effective = []string{
	v1alpha1.SettingInstanceLabel, v1alpha1.SettingImpersonation, v1alpha1.SettingImpersonationEnforced, v1alpha1.SettingGlobals, v1alpha1.SettingHelm,
	v1alpha1.SettingValueSchemes, v1alpha1.SettingInstallation, v1alpha1.SettingJsonnet, v1alpha1.SettingBuildOptions, v1alpha1.SettingKustomize,
	v1alpha1.SettingCompareOptions, v1alpha1.SettingExclusions, v1alpha1.SettingInclusions, v1alpha1.SettingHidden,
}

// noted says what becomes of keys that begin so. The first that fits counts.
type noted struct {
	prefix string
	Verdict
	detail, do string
}

const (
	forPages  = "for the pages and sign-in of Argo CD's server, which goes on in part; the engine does not read it"
	forOurs   = "for sign-in at the engine's own pages and API, where it serves them (--serve)"
	ofProcess = "tunes Argo CD's own processes; the engine does not read it"
)

var settingNotes = []noted{
	{v1alpha1.SettingCustomizations, AsIs, "", ""},
	{"causeway.", AsIs, "the engine's own", ""},
	{"timeout.reconciliation", Differs, "a repository is looked up once for all applications, every 2 minutes", "set --interval of the engine (engine.interval of the chart) for another time"},
	{"timeout.hard.reconciliation", Differs, "renderings are kept by what they read, so none has to be made anew by time", ""},
	{"kustomize.path.", Unsupported, "there is one version of Kustomize, which is built in", "take kustomize.version out of Applications"},
	{"kustomize.version.", Unsupported, "there is one version of Kustomize, which is built in", "take kustomize.version out of Applications"},
	{"kustomize.buildOptions.", Unsupported, "there is one version of Kustomize, which is built in", "put the flags into kustomize.buildOptions"},
	{"configManagementPlugins", Unsupported, "plugins in argocd-cm; Argo CD dropped them with 2.8, too", "write a ConfigManagementPlugin file and name its folder with --plugin-dir"},
	{"resource.respectRBAC", Unsupported, "all kinds that applications have are watched", "limit the engine by the cluster Secret's namespaces"},
	{"resource.ignoreResourceUpdatesEnabled", Differs, "an update that changes nothing of what is synced costs next to nothing", ""},
	{"resource.links", Differs, forPages, ""},
	{"application.links", Differs, forPages, ""},
	{"project.links", Differs, forPages, ""},
	{"application.allowedNodeLabels", Differs, forPages, ""},
	{"cluster.inClusterEnabled", Unsupported, "the hub is a destination in any case", "refuse it in the AppProjects where it must not be one"},
	{"webhook.", Differs, "the engine has its own limit for webhooks", ""},
	{"commit.", Unsupported, "belongs to the source hydrator, which is not there", ""},
	{"accounts.", AsIs, forOurs, ""},
	{"admin.", AsIs, forOurs, ""},
	{"dex.", Differs, "Dex is not run; people sign in with an issuer of OpenID Connect, which is asked directly", "set oidc.config"},
	{"oidc.", AsIs, forOurs, ""},
	{"exec.", AsIs, "for terminals in containers at the engine's own pages and API, where it serves them (--serve)", ""},
	{"extension.", Differs, forPages, ""},
	{"ga.", Differs, forPages, ""},
	{"help.", Differs, forPages, ""},
	{"server.", Differs, forPages, ""},
	{"statusbadge", Differs, forPages, ""},
	{"ui.", Differs, forPages, ""},
	{"url", AsIs, forOurs, ""},
	{"additionalUrls", AsIs, forOurs, ""},
	{"users.anonymous.enabled", AsIs, forOurs, ""},
	{"users.session.duration", AsIs, forOurs, ""},
	{"users.", Differs, forPages, ""},
	{"passwordPattern", AsIs, forOurs, ""},
}

var paramNotes = []noted{
	{"application.namespaces", AsIs, "", ""},
	{"applicationsetcontroller.namespaces", Unsupported, "ApplicationSets live in the control namespace", "move the others there"},
	{paramPolicy, Unsupported, "there is no policy for all sets", "set spec.syncPolicy.applicationsSync of each ApplicationSet"},
	{paramDryRun, Unsupported, "the engine writes what sets say", "see that each ApplicationSet may do what it says"},
	{"applicationsetcontroller.enable.policy.override", Differs, "the policy of an ApplicationSet always counts", ""},
	{"applicationsetcontroller.enable.scm.providers", Differs, "the engine is told by a flag", "set --no-scm-providers where it is false"},
	{"applicationsetcontroller.allowed.scm.providers", Differs, "the engine is told by a flag", "set --allowed-scm-providers"},
	{"applicationsetcontroller.enable.progressive.syncs", Differs, "RollingSync needs no switch", ""},
	{v1alpha1.ParamDoublestarFiles, AsIs, "", ""},
	{"controller.diff.server.side", Differs, "objects are compared by dry runs unless an application says ServerSideDiff=false", ""},
	{"", Differs, ofProcess, ""},
}

func settings(i *Installation) []Finding {
	out := []Finding{tracking(i)}
	for _, key := range slices.Sorted(maps.Keys(i.Settings)) {
		switch {
		case key == v1alpha1.SettingTracking:
		case slices.Contains(effective, key):
			out = append(out, Finding{What: v1alpha1.SettingsName + ": " + key, Verdict: AsIs})
		default:
			out = append(out, note(v1alpha1.SettingsName, key, settingNotes))
		}
	}
	return out
}

func params(i *Installation) []Finding {
	var out []Finding
	for _, key := range slices.Sorted(maps.Keys(i.Params)) {
		f := note("argocd-cmd-params-cm", key, paramNotes)
		if unrestraining(key, i.Params[key]) {
			f.Verdict, f.Detail, f.Do = AsIs, "", ""
		}
		out = append(out, f)
	}
	return append(out, restraints(i)...)
}

// unrestraining reports whether a setting has its usual value, which keeps sets from
// nothing.
func unrestraining(key, value string) bool {
	return key == paramPolicy && !restrains(value) || key == paramDryRun && !isTrue(value)
}

func note(where, key string, notes []noted) Finding {
	for _, n := range notes {
		if strings.HasPrefix(key, n.prefix) {
			return Finding{where + ": " + key, n.Verdict, n.detail, n.do}
		}
	}
	return Finding{where + ": " + key, Differs, "not known: it has no effect here", ""}
}

// tracking tells how objects are found again. Argo CD marked by label until
// its version 3, unless it was told otherwise; that has to be said before the
// engine starts, because it goes by what argocd-cm says.
func tracking(i *Installation) Finding {
	f := Finding{What: "tracking", Verdict: AsIs}
	switch method := i.Settings[v1alpha1.SettingTracking]; {
	case method == "label":
		f.Verdict, f.Detail = Differs, "by label; objects get the annotation besides, with their next sync"
	case method != "":
		f.Detail = "by " + method
	case strings.HasPrefix(strings.TrimPrefix(i.Version(), "v"), "2."):
		f.Verdict, f.Detail = Differs, "Argo CD "+i.Version()+" marks by label unless it is told otherwise; the engine would take the label away"
		f.Do = "set " + v1alpha1.SettingTracking + ": label in argocd-cm, which changes nothing for Argo CD"
	default:
		f.Detail = "by annotation"
	}
	return f
}
