package object

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// risks tells what of a pair's change deserves a second look.
func (c *comparing) risks(p pair) []forecast.Risk {
	switch {
	case p.after == nil:
		return c.removal(p)
	case p.before == nil:
		return nil
	}
	var out []forecast.Risk
	if isCRD(p.after.object) {
		out = crdRisks(p.before.object, p.after.object)
	}
	out = append(out, c.immutable(p)...)
	out = append(out, c.anew(p)...)
	for i := range out {
		out[i].Object = label(p.key)
	}
	return out
}

// label names an object for people: Kind namespace/name.
func label(k gitops.Key) string {
	return gitops.ObjectName(k.Kind, k.Namespace, k.Name)
}

func (c *comparing) removal(p pair) []forecast.Risk {
	risk := loss(p)
	if risk.Message == "" {
		return nil
	}
	return []forecast.Risk{kept(risk, p.before.object)}
}

// anew tells of an object that stays in the sources and is deleted all the
// same: to become a hook, whatever it is, or to be created anew.
func (c *comparing) anew(p pair) []forecast.Risk {
	risk := loss(p)
	switch {
	case hook(p.after.object) && !hook(p.before.object):
		risk.Message = joinedBy("; ", "it becomes a hook, whose object is deleted and created anew, or deleted when the sync is over", risk.Message)
	case risk.Message != "" && option(p.after.object, "Replace=true") && c.forced(p.after.object):
		risk.Message = joinedBy("; ", "Replace=true,Force=true deletes the object and creates it anew", risk.Message)
	default:
		return nil
	}
	return []forecast.Risk{risk}
}

func joinedBy(separator, first, second string) string {
	if second == "" {
		return first
	}
	return first + separator + second
}

// loss tells what goes with an object; the message is empty where it goes alone.
func loss(p pair) forecast.Risk {
	risk := forecast.Risk{Kind: forecast.RiskDeletion, Object: label(p.key)}
	if isCRD(p.before.object) {
		risk.Kind = forecast.RiskCRDRemoved
		risk.Message = "all objects of its kind are deleted with it, on every cluster that has them"
		return risk
	}
	switch p.key.Group + "/" + p.key.Kind {
	case "/Namespace":
		risk.Message = "everything inside the namespace is deleted with it"
	case "/PersistentVolumeClaim":
		risk.Message = "the claim goes, and the data of its volume with it, unless the volume's reclaim policy is Retain"
	case "/PersistentVolume":
		risk.Message = "the volume is no longer known to the cluster" + reclaimed(p.before.object)
	case "apps/StatefulSet":
		risk.Message = claimsOf(p.before.object)
	}
	return risk
}

func reclaimed(volume map[string]any) string {
	if at(volume, "spec", "persistentVolumeReclaimPolicy") == "Delete" {
		return ", and its data is deleted with it"
	}
	return "; its data stays where it is stored"
}

// claimsOf tells what becomes of the claims of a StatefulSet that goes; it
// is empty for one without.
func claimsOf(set map[string]any) string {
	templates, _ := at(set, "spec", "volumeClaimTemplates").([]any)
	if len(templates) == 0 {
		return ""
	}
	if at(set, "spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted") == "Delete" {
		return "the PersistentVolumeClaims of its pods are deleted with it, as persistentVolumeClaimRetentionPolicy.whenDeleted says"
	}
	return "the set goes, and the PersistentVolumeClaims of its pods stay behind, as is the default"
}

// kept adds that an object's own annotations keep it.
func kept(risk forecast.Risk, object map[string]any) forecast.Risk {
	switch {
	case option(object, "Prune=false"):
		risk.Message += "; but Prune=false keeps it while its application is there"
	case option(object, "Prune=confirm"):
		risk.Message += "; Prune=confirm asks before"
	case option(object, "Delete=false"), at(object, "metadata", "annotations", "helm.sh/resource-policy") == "keep":
		risk.Message += "; but it is marked to be kept when its application goes"
	}
	return risk
}

// option reports whether an object's own sync options have one.
func option(object map[string]any, want string) bool {
	list, _ := at(object, "metadata", "annotations", gitops.AnnotationSync).(string)
	for o := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(o), want) {
			return true
		}
	}
	return false
}

// hook reports whether an object is a hook of a sync.
func hook(object map[string]any) bool {
	annotations, _ := at(object, "metadata", "annotations").(map[string]any)
	argo, _ := annotations[gitops.AnnotationHook].(string)
	helm, _ := annotations["helm.sh/hook"].(string)
	return names(argo, "PreSync", "Sync", "PostSync", "SyncFail") || names(helm, "pre-install", "pre-upgrade", "post-install", "post-upgrade")
}

// names reports whether a list with commas has one of some words.
func names(list string, words ...string) bool {
	for word := range strings.SplitSeq(list, ",") {
		if slices.Contains(words, strings.TrimSpace(word)) {
			return true
		}
	}
	return false
}

// isHook reports whether an object is deleted and created anew for every sync.
func isHook(object map[string]any) bool {
	annotations, _ := at(object, "metadata", "annotations").(map[string]any)
	_, argo := annotations[gitops.AnnotationHook].(string)
	_, helm := annotations["helm.sh/hook"].(string)
	policy, stated := annotations[gitops.AnnotationHookDelete].(string)
	if !stated {
		policy, stated = annotations["helm.sh/hook-delete-policy"].(string)
	}
	before := strings.Contains(policy, "BeforeHookCreation") || strings.Contains(policy, "before-hook-creation")
	return (argo || helm) && (!stated || before)
}
