package apply

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// problem turns an API server's refusal into what a person can act on. Whatever it
// says at length has been used by then: little of it is kept.
func problem(verb string, action *gitops.Action, c Cluster, err error) error {
	if err == nil {
		return nil
	}
	var done *gitops.Problem
	if errors.As(err, &done) {
		return briefProblem(err, done)
	}
	told := hides(action)
	p := classify(err, told)
	p.What = fmt.Sprintf("cannot %s %s: %s", verb, action.Key, p.What)
	p.Fix = gitops.First(p.Fix, maxFix)
	p.Err = brief(err)
	if isUnknownKind(err) {
		p.Err = errors.Join(gitops.ErrNotServed, p.Err)
	}
	if p.Kind == gitops.Unreachable {
		p.What = fmt.Sprintf("cannot reach cluster %s to %s %s: %s", c.Server(), verb, action.Key, text(err, told))
	}
	if action.Key.Kind == "Secret" && action.Key.Group == "" {
		p = secretProblem(p, verb, action, err)
	}
	if action.Desired != nil {
		return p.At(action.Desired.Origin)
	}
	return p
}

// secretProblem tells of a Secret what can be told without its values.
func secretProblem(p *gitops.Problem, verb string, action *gitops.Action, err error) *gitops.Problem {
	p.Err = nil
	if key := notBase64(action.Desired); key != "" && p.Kind != gitops.Refused {
		p.Kind, p.Fix = gitops.Invalid, "encode it, or write it under stringData"
		p.What = fmt.Sprintf("cannot %s %s: data.%s is not base64", verb, action.Key, key)
		return p
	}
	p.What = fmt.Sprintf("cannot %s %s: %s", verb, action.Key, withoutValues(err))
	return p
}

// notBase64 names the first key of a Secret whose value cannot be decoded.
func notBase64(m *gitops.Manifest) string {
	if m == nil {
		return ""
	}
	data, _, err := unstructured.NestedMap(m.Object.Object, "data")
	if err != nil {
		return ""
	}
	for _, key := range slices.Sorted(maps.Keys(data)) {
		text, ok := data[key].(string)
		if _, err := base64.StdEncoding.DecodeString(text); ok && err != nil {
			return key
		}
	}
	return ""
}

// hides takes what was decrypted for an object out of what an API server says of
// it: it repeats values that it does not take.
func hides(action *gitops.Action) func(string) string {
	if action.Desired == nil || len(action.Desired.Hidden) == 0 {
		return func(text string) string { return text }
	}
	return redact.NewKnown(action.Desired.Hidden).Text
}

func classify(err error, told func(string) string) *gitops.Problem {
	p := &gitops.Problem{Kind: gitops.Invalid, What: text(err, told)}
	switch {
	case errors.Is(err, context.Canceled):
		p.Kind = gitops.Unreachable
	case isUnknownKind(err):
		p.Kind, p.What = gitops.NotReady, "the cluster does not serve this kind (yet)"
		p.Fix = "install its CustomResourceDefinition, or check apiVersion and kind"
	case missingNamespace(err) != "":
		p.Kind, p.Fix = gitops.NotFound, "set the sync option CreateNamespace=true, or create the namespace"
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		p.Kind, p.Fix = gitops.NotReady, "wait until the namespace is gone"
	case webhook(err) != "":
		p.Kind, p.Fix = gitops.NotReady, fmt.Sprintf("see whether the pods behind webhook %s run", webhook(err))
	case tooLarge(err):
		p.What, p.Fix = "the object is larger than the cluster's store takes (about 1.5 MB)", "split it"
	case immutable(err):
		p.What = "it has fields that cannot be changed: " + clip(told(fixed(err)))
		p.Fix = "set the sync options Replace=true,Force=true on the object to have it deleted and created again"
	case otherUID(err):
		p.Fix = "take metadata.uid out of the manifest: the API server gives it"
	case apierrors.IsUnauthorized(err):
		p.Kind, p.Fix = gitops.Refused, "check the credentials in the cluster's Secret"
	case apierrors.IsForbidden(err):
		p.Kind, p.Fix = forbidden(err)
	case disconnected(err), transient(err):
		p.Kind, p.Fix = gitops.Unreachable, "check that the cluster runs and can be reached"
	}
	return p
}

// isUnknownKind reports whether the API has no such resource: the mapper does not
// know it, or its path is not served.
func isUnknownKind(err error) bool {
	if meta.IsNoMatchError(err) {
		return true
	}
	status := apierrors.APIStatus(nil)
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details == nil || details.Name == "" && missingNamespace(err) == ""
}

// isGone reports whether an object is not there, where the API has its kind. With
// what is created, its namespace may be what is not there: see missingNamespace.
func isGone(err error) bool { return apierrors.IsNotFound(err) && !isUnknownKind(err) }

// missingNamespace names the namespace that an object should go to and that
// is not there.
func missingNamespace(err error) string {
	status := apierrors.APIStatus(nil)
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return ""
	}
	if details := status.Status().Details; details != nil && details.Kind == "namespaces" {
		return details.Name
	}
	return ""
}

var (
	webhookName = regexp.MustCompile(`failed calling webhook "([^"]+)"`)
	deniedText  = regexp.MustCompile(`^admission webhook "[^"]+" denied the request`)
)

// webhook names the admission webhook that did not answer.
func webhook(err error) string {
	if m := webhookName.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return ""
}

// deniedByWebhook reports whether an admission webhook refused the request, with whichever
// status it chose. The API server begins its text so, and what it says itself never.
func deniedByWebhook(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && deniedText.MatchString(status.Status().Message)
}

// tooLarge reports whether the API server, or the store behind it, takes no object
// of this size.
func tooLarge(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) || strings.Contains(err.Error(), "etcdserver: request is too large") ||
		strings.Contains(err.Error(), "trying to send message larger than max")
}

// uidChanged reports whether a precondition on the UID does not hold: it is another object.
func uidChanged(err error) bool {
	return apierrors.IsConflict(err) && strings.Contains(err.Error(), "UID in")
}

// otherUID reports whether a manifest has the UID of another object, or of one that is gone.
func otherUID(err error) bool {
	return apierrors.IsConflict(err) && strings.Contains(err.Error(), "uid mismatch")
}

// versionChanged reports whether an object was written since the version that a deletion is for.
func versionChanged(err error) bool {
	return apierrors.IsConflict(err) && !uidChanged(err) && strings.Contains(err.Error(), "ResourceVersion in")
}

// text is the API server's message, shortened to its causes where it has any:
// the message of an invalid object repeats whole parts of it.
func text(err error, told func(string) string) string {
	if isTyped(err) {
		return clip(told(typedText(err)))
	}
	causes := causesOf(err)
	if len(causes) == 0 {
		return clip(told(err.Error()))
	}
	parts := make([]string, 0, min(len(causes), maxTold))
	for _, cause := range causes[:min(len(causes), maxTold)] {
		part := cause.Message
		if cause.Field != "" && cause.Field != "<nil>" {
			part = cause.Field + ": " + cause.Message
		}
		parts = append(parts, part)
	}
	return clip(told(strings.Join(parts, "; ")))
}

// maxText bounds an API server's message, in bytes.
const maxText = 1000

func clip(text string) string { return gitops.First(text, maxText) }

// withoutValues tells the place and kind of a refusal alone: the message may
// quote what a Secret holds.
func withoutValues(err error) string {
	var parts []string
	causes := causesOf(err)
	for _, cause := range causes[:min(len(causes), maxTold)] {
		parts = append(parts, fmt.Sprintf("%s: %s", cause.Field, cause.Type))
	}
	if len(parts) > 0 {
		return clip(strings.Join(parts, "; "))
	}
	if isTyped(err) {
		return clip(typedPlaces(err))
	}
	var status apierrors.APIStatus
	switch {
	case !errors.As(err, &status), apierrors.IsForbidden(err), apierrors.IsUnauthorized(err), apierrors.IsNotFound(err), apierrors.IsTooManyRequests(err):
		return clip(err.Error())
	}
	return clip(string(status.Status().Reason))
}

func causesOf(err error) []metav1.StatusCause {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || !apierrors.IsInvalid(err) {
		return nil
	}
	return status.Status().Details.Causes
}
