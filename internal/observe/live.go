package observe

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Live keeps of an object of the cluster with an address what the engine needs to decide. Nothing of the
// object's maps and lists is kept, so that it can be collected.
func (c *Checks) Live(server string, o *unstructured.Unstructured) *gitops.Live {
	r := &reader{o: o.Object}
	version, kind := r.text("apiVersion"), r.text("kind")
	gv, _ := schema.ParseGroupVersion(version)
	l := &gitops.Live{
		Key: gitops.Key{
			Group: gv.Group, Kind: kind,
			Namespace: r.text("metadata", "namespace"), Name: r.text("metadata", "name"),
		},
		Version:         gv.WithKind(kind),
		UID:             types.UID(r.text("metadata", "uid")),
		ResourceVersion: r.text("metadata", "resourceVersion"),
		Created:         timeOf(r.text("metadata", "creationTimestamp")),
		Deleting:        r.text("metadata", "deletionTimestamp") != "",
		Finalizers:      finalizers(r.items("metadata", "finalizers")),
		Tracking:        c.trackingOf(r),
		Annotations:     steering(r.fields("metadata", "annotations")),
		Owners:          owners(r.items("metadata", "ownerReferences")),
		Images:          images(r),
	}
	managers := r.items("metadata", "managedFields")
	l.Fingerprint = fingerprint(o.Object, managers)
	l.Foreign, l.Merged = foreign(managers), merged(managers)
	// The error is in the health's message, which is all that can be done
	// about a malformed object.
	l.Health, _ = c.Health(server, o)
	return l
}

func timeOf(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return gitops.Moment(t)
}

// Bounds of what is kept of an object, which may say as much as it has room
// for: how many there are, and the bytes of each.
const (
	maxFinalizers = 32
	maxOwners     = 32
	maxImages     = 100
	maxName       = 512
	maxUID        = 64 // those of API servers have 36
)

// finalizers keeps the first ones, and that of a hook wherever it is.
func finalizers(items []any) []string {
	var out []string
	for _, item := range items {
		s, ok := item.(string)
		if ok && (len(out) < maxFinalizers || s == hookFinalizer && len(out) == maxFinalizers) {
			out = append(out, gitops.First(s, maxName))
		}
	}
	return out
}

// owners keeps the first ones. What is too long for a UID is cut: it leads to
// nothing, and what names it is still owned.
func owners(items []any) []types.UID {
	var out []types.UID
	for _, item := range items {
		uid := containerOf(item).text("uid")
		if uid == "" {
			continue
		}
		if out = append(out, types.UID(gitops.First(uid, maxUID))); len(out) == maxOwners {
			break
		}
	}
	return out
}

// steering keeps the annotations that steer the engine; the tracking id has
// a field of its own.
func steering(annotations map[string]any) map[string]string {
	var out map[string]string
	for k, v := range annotations {
		text, ok := v.(string)
		if !ok || !gitops.Steers(k) {
			continue
		}
		if out == nil {
			out = make(map[string]string, 2)
		}
		out[k] = gitops.First(text, gitops.MaxSteering)
	}
	return out
}

// foreign reports whether a manager whose fields we take over owns some.
func foreign(managers []any) bool {
	for _, item := range managers {
		m := containerOf(item)
		if m.text("subresource") != "" {
			continue
		}
		switch m.text("manager") {
		case "kubectl-client-side-apply", "argocd-controller":
			return true
		case "kubectl":
			if m.text("operation") == "Apply" {
				return true
			}
		}
	}
	return false
}

// merged reports whether our manager wrote an object and never applied it.
func merged(managers []any) bool {
	wrote := false
	for _, item := range managers {
		m := containerOf(item)
		if m.text("manager") != gitops.FieldManager || m.text("subresource") != "" {
			continue
		}
		if m.text("operation") == "Apply" {
			return false
		}
		wrote = true
	}
	return wrote
}

// podSpecs are the places where kinds keep the pods that they make.
var podSpecs = [][]string{
	{"spec", "template", "spec"},
	{"spec", "jobTemplate", "spec", "template", "spec"},
	{"spec"},
}

// images lists the first images of an object's containers once each, in order.
func images(r *reader) []string {
	var out []string
	for _, path := range podSpecs {
		// Custom kinds may use these names for something else: their types
		// are no error here.
		quiet := reader{o: r.o}
		spec := reader{o: quiet.fields(path...)}
		if spec.o == nil {
			continue
		}
		out = addImages(out, spec.items("initContainers"))
		out = addImages(out, spec.items("containers"))
	}
	return out
}

func addImages(out []string, containers []any) []string {
	for _, item := range containers {
		if len(out) == maxImages {
			return out
		}
		image := gitops.First(containerOf(item).text("image"), maxName)
		if image != "" && !slices.Contains(out, image) {
			out = append(out, image)
		}
	}
	return out
}
