package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/reply"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Bounds of an object's events.
const (
	// mostEvents are shown, mostEventPages times as many read to find the latest:
	// a cluster forgets events within an hour, and an object has some dozens.
	mostEvents     = 500
	mostEventPages = 20
	// mostEventMessage are the bytes that are kept of a message, mostEventWord those
	// of all else that an event says: API servers take 1 KiB and 128 bytes of
	// those that are written by the newer of their two APIs, and of others any.
	mostEventMessage = 4 << 10
	mostEventWord    = 512
)

// errEnough ends a list before its end.
var errEnough = fmt.Errorf("no more than some %d are read of an object", mostEvents*mostEventPages)

// EventsAbout asks a cluster for the events of an object, latest first. An error
// names the cluster: it need not be the one that whoever asks talks to.
func EventsAbout(ctx context.Context, cluster string, config *rest.Config, about *corev1.ObjectReference) (out []api.Event, err error) {
	defer func() {
		if err != nil {
			err = gitops.Problemf(gitops.Unreachable, "cannot list events in cluster %s: %w", cluster, cmp.Or(reply.Refusal(err), err))
		}
	}()
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	named := fields.Set{"involvedObject.kind": about.Kind, "involvedObject.name": about.Name}.String()
	return latestEvents(ctx, about, named, clients.CoreV1().Events(about.Namespace).List)
}

// latestEvents are the latest of an object. Lists go by names, which say
// nothing of times: all of it is read, as far as there is an end and room, and no
// more kept than is shown. Where that is not all, the first of them says so.
func latestEvents(ctx context.Context, about *corev1.ObjectReference, named string, list func(context.Context, metav1.ListOptions) (*corev1.EventList, error)) ([]api.Event, error) {
	seen, read, kept := 0, 0, latest{events: []api.Event{}}
	err := reply.Pages(ctx, mostEvents, func(ctx context.Context, options metav1.ListOptions) (*corev1.EventList, error) {
		if seen >= mostEvents*mostEventPages {
			return nil, errEnough
		}
		options.FieldSelector = named
		return list(ctx, options)
	}, func(page *corev1.EventList) {
		seen += max(len(page.Items), 1) // an empty page that has a next one counts as well
		read += len(page.Items)
		for i := range page.Items {
			if isAbout(&page.Items[i].InvolvedObject, about) {
				kept.take(eventOf(&page.Items[i]))
			}
		}
	})
	if err != nil && (seen == 0 || !endsEarly(err)) {
		return nil, err
	}
	kept.cut()
	if err != nil {
		return slices.Insert(kept.events, 0, notAll(kept.events, about, read, err)), nil
	}
	return kept.events, nil
}

// endsEarly tells an error after which what was read before it counts: there is
// enough of it, or no room for more.
func endsEarly(err error) bool {
	var large *reply.TooLarge
	var crowded *reply.Crowded
	return errors.Is(err, errEnough) || errors.As(err, &large) && large.All || errors.As(err, &crowded)
}

// notAll is an event that says of others, the latest first, that they are not all.
func notAll(of []api.Event, about *corev1.ObjectReference, read int, why error) api.Event {
	out := api.Event{
		Type: corev1.EventTypeWarning, Reason: "NotAllRead", Count: 1, From: "causeway", On: word(strings.TrimSpace(about.Kind + " " + about.Name)),
		Message: message(fmt.Sprintf("later ones may be missing here, and kubectl shows all: only the first %s of the list are read: %v",
			gitops.Count(read, "event"), cmp.Or(reply.Refusal(why), why))),
	}
	if len(of) > 0 {
		out.First, out.Last = of[0].Last, of[0].Last // it stays the first where they are sorted
	}
	return out
}

// latest keeps the latest events of those that it is given, and for a while as
// many again: they are sorted once for many of them.
type latest struct{ events []api.Event }

func (l *latest) take(e api.Event) {
	if l.events = append(l.events, e); len(l.events) >= 2*mostEvents {
		l.cut()
	}
}

// cut leaves as many as are shown, the very latest first.
func (l *latest) cut() {
	slices.SortStableFunc(l.events, func(a, b api.Event) int { return b.Last.Compare(a.Last) })
	if len(l.events) > mostEvents {
		clear(l.events[mostEvents:]) // their texts are not kept
		l.events = l.events[:mostEvents]
	}
}

// isAbout reports whether an event of a kind and a name is of an object: another
// group may have the kind, and another object had the name before. What an
// event does not say is not held against it.
func isAbout(said, object *corev1.ObjectReference) bool {
	group := schema.FromAPIVersionAndKind(said.APIVersion, said.Kind).Group
	return (said.APIVersion == "" || group == object.GroupVersionKind().Group) && (said.UID == "" || object.UID == "" || said.UID == object.UID)
}

func eventOf(e *corev1.Event) api.Event {
	out := api.Event{
		Type: word(e.Type), Reason: word(e.Reason), Message: message(e.Message), Count: max(e.Count, 1), First: gitops.Moment(e.FirstTimestamp.Time), Last: gitops.Moment(e.LastTimestamp.Time),
		From: word(e.Source.Component), On: word(strings.TrimSpace(e.InvolvedObject.Kind + " " + e.InvolvedObject.Name)),
	}
	if out.Last.IsZero() {
		out.First, out.Last = gitops.Moment(e.EventTime.Time), gitops.Moment(e.EventTime.Time)
	}
	return out
}

func word(text string) string { return gitops.First(text, mostEventWord) }

// message is as much of a message as is kept; where that is not all, it says so.
func message(text string) string {
	if len(text) <= mostEventMessage {
		return text
	}
	return fmt.Sprintf("%s [cut: the message has %d bytes, and kubectl shows all of it]", gitops.First(text, mostEventMessage), len(text))
}
