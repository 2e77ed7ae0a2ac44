package serve

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// mostEvents bounds what is shown of an object's events, mostEventPages how
// many times as many are read to find the latest.
const (
	mostEvents     = 500
	mostEventPages = 20
)

// EventsAbout asks a cluster for the events of an object, latest first. An error
// names the cluster: it need not be the one that whoever asks talks to.
func EventsAbout(ctx context.Context, cluster string, config *rest.Config, about *corev1.ObjectReference) (out []api.Event, err error) {
	defer func() {
		if err != nil {
			err = gitops.Problemf(gitops.Unreachable, "cannot list events in cluster %s: %w", cluster, err)
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
// nothing of times: all of it is read, as far as there is an end.
func latestEvents(ctx context.Context, about *corev1.ObjectReference, named string, read func(context.Context, metav1.ListOptions) (*corev1.EventList, error)) ([]api.Event, error) {
	out, options := []api.Event{}, metav1.ListOptions{FieldSelector: named, Limit: mostEvents}
	for range mostEventPages {
		list, err := read(ctx, options)
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			if isAbout(&list.Items[i].InvolvedObject, about) {
				out = append(out, eventOf(&list.Items[i]))
			}
		}
		if options.Continue = list.Continue; options.Continue == "" {
			break
		}
	}
	slices.SortFunc(out, func(a, b api.Event) int { return b.Last.Compare(a.Last) })
	return out[:min(len(out), mostEvents)], nil
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
		Type: e.Type, Reason: e.Reason, Message: e.Message, Count: max(e.Count, 1), First: e.FirstTimestamp.UTC(), Last: e.LastTimestamp.UTC(),
		From: e.Source.Component, On: strings.TrimSpace(e.InvolvedObject.Kind + " " + e.InvolvedObject.Name),
	}
	if out.Last.IsZero() {
		out.First, out.Last = e.EventTime.UTC(), e.EventTime.UTC()
	}
	return out
}
