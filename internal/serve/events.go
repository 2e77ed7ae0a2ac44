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
var errEnough = errors.New("enough is read")

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
// nothing of times: all of it is read, as far as there is an end, and no more
// kept than is shown.
func latestEvents(ctx context.Context, about *corev1.ObjectReference, named string, read func(context.Context, metav1.ListOptions) (*corev1.EventList, error)) ([]api.Event, error) {
	seen, latest := 0, latest{}
	err := reply.Pages(ctx, mostEvents, func(ctx context.Context, options metav1.ListOptions) (*corev1.EventList, error) {
		if seen >= mostEvents*mostEventPages {
			return nil, errEnough
		}
		options.FieldSelector = named
		return read(ctx, options)
	}, func(page *corev1.EventList) {
		seen += max(len(page.Items), 1) // an empty page that has a next one counts as well
		for i := range page.Items {
			if isAbout(&page.Items[i].InvolvedObject, about) {
				latest.take(eventOf(&page.Items[i]))
			}
		}
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return latest.shown(), nil
}

// latest keeps the latest events of those that it is given, and for a while as
// many again: they are sorted once for many of them.
type latest struct{ events []api.Event }

func (l *latest) take(e api.Event) {
	if l.events = append(l.events, e); len(l.events) >= 2*mostEvents {
		l.shown()
	}
}

// shown are the latest, the very latest first.
func (l *latest) shown() []api.Event {
	slices.SortStableFunc(l.events, func(a, b api.Event) int { return b.Last.Compare(a.Last) })
	if len(l.events) > mostEvents {
		clear(l.events[mostEvents:]) // their texts are not kept
		l.events = l.events[:mostEvents]
	}
	return append([]api.Event{}, l.events...)
}

// isAbout tells whether an event of a kind and a name is of an object: another
// group may have the kind, and another object had the name before. What an
// event does not say is not held against it.
func isAbout(said, object *corev1.ObjectReference) bool {
	group := schema.FromAPIVersionAndKind(said.APIVersion, said.Kind).Group
	return (said.APIVersion == "" || group == object.GroupVersionKind().Group) && (said.UID == "" || object.UID == "" || said.UID == object.UID)
}

func eventOf(e *corev1.Event) api.Event {
	out := api.Event{
		Type: word(e.Type), Reason: word(e.Reason), Message: message(e.Message), Count: max(e.Count, 1), First: e.FirstTimestamp.UTC(), Last: e.LastTimestamp.UTC(),
		From: word(e.Source.Component), On: word(strings.TrimSpace(e.InvolvedObject.Kind + " " + e.InvolvedObject.Name)),
	}
	if out.Last.IsZero() {
		out.First, out.Last = e.EventTime.UTC(), e.EventTime.UTC()
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
