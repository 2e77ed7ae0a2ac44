package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/chronicle"
	apiclient "github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
	"github.com/causeway-gitops/causeway/internal/store"
)

// Historian answers questions about what syncs did.
type Historian interface {
	List(ctx context.Context, namespace, name string, most int) ([]history.Sync, error)
	Trace(ctx context.Context, id string) (*syncs.Trace, error)
	Diff(ctx context.Context, a, b string) (*chronicle.Difference, error)
	Close() error
}

// HistorianOf finds the history of one application; a server's, where one is asked.
func (h *Hub) HistorianOf(ctx context.Context, file string, application *v1alpha1.Application) (Historian, error) {
	if h.Server != nil {
		return servedPast{h.Server, KeyOf(application)}, nil
	}
	return h.Historian(ctx, file)
}

// Historian finds the history: that of a local fleet is a file; else the engine
// in the hub is asked, by way of the API server.
func (h *Hub) Historian(ctx context.Context, file string) (Historian, error) {
	if file == "" && h.Fleet != nil {
		file = filepath.Join(h.Home.Cache(), chronicle.File)
	}
	if file == "" {
		engine, err := h.Remote(ctx)
		if err != nil {
			return nil, err
		}
		return engine, nil
	}
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("there is no history at %s: %w", file, err)
	}
	s, err := chronicle.OpenFile(file, filepath.Join(filepath.Dir(file), chronicle.KeyFile))
	if err != nil {
		return nil, err
	}
	return fileHistory{s}, nil
}

// fileHistory is the file of an engine on this machine.
type fileHistory struct{ *store.Store }

// Trace reads a sync and what came after it.
func (f fileHistory) Trace(ctx context.Context, id string) (*syncs.Trace, error) {
	return syncs.Read(ctx, f.Store, id)
}

// Diff compares what two syncs applied.
func (f fileHistory) Diff(ctx context.Context, a, b string) (*chronicle.Difference, error) {
	return chronicle.Compare(ctx, f.Store, a, b, nil) // the settings are in no file
}

// RemoteHistory asks the engine through the API server, which checks the
// right to do so; the token shows the engine that it was checked.
type RemoteHistory struct {
	client    *rest.RESTClient
	namespace string
	service   string
	token     string
}

// Remote is the history of the engine that runs on the hub.
func (h *Hub) Remote(ctx context.Context) (*RemoteHistory, error) {
	services := &corev1.ServiceList{}
	err := h.Client.List(ctx, services, client.InNamespace(h.Namespace), client.MatchingLabels{"app.kubernetes.io/name": "causeway"})
	if err != nil {
		return nil, h.Explain(err)
	}
	if len(services.Items) == 0 {
		return nil, fmt.Errorf("cannot find the engine: namespace %s of the hub (%s) has no Service with the label app.kubernetes.io/name=causeway; "+
			"name the file of its history with --history-file", h.Namespace, h.From)
	}
	secret := &corev1.Secret{}
	if err := h.Client.Get(ctx, client.ObjectKey{Namespace: h.Namespace, Name: chronicle.Secret}, secret); err != nil {
		return nil, fmt.Errorf("cannot read the Secret %s, which lets in to the history: %w", chronicle.Secret, h.Explain(err))
	}
	config := rest.CopyConfig(h.Config)
	config.GroupVersion, config.APIPath = &corev1.SchemeGroupVersion, "/api"
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for the engine: %w", err)
	}
	return &RemoteHistory{client: c, namespace: h.Namespace, service: services.Items[0].Name, token: string(secret.Data["token"])}, nil
}

func (r *RemoteHistory) ask(ctx context.Context, out any, query map[string]string, path ...string) error {
	return r.get(ctx, out, query, append([]string{syncs.Prefix}, path...)...)
}

// Clusters asks how the engine sees the clusters.
func (r *RemoteHistory) Clusters(ctx context.Context) (list []clusters.Health, err error) {
	return list, r.get(ctx, &list, nil, clusters.Path)
}

func (r *RemoteHistory) get(ctx context.Context, out any, query map[string]string, path ...string) error {
	q := r.client.Get().Namespace(r.namespace).Resource("services").Name("http:"+r.service+":http").SubResource("proxy").
		Suffix(path...).SetHeader(syncs.Header, r.token)
	for name, value := range query {
		q = q.Param(name, value)
	}
	text, err := q.DoRaw(ctx)
	var status *apierrors.StatusError
	if errors.As(err, &status) && len(text) > 0 && !strings.HasPrefix(string(text), "{") {
		return errors.New(strings.TrimSpace(string(text)))
	}
	if err != nil {
		return fmt.Errorf("cannot ask the engine: %w", err)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("cannot understand the engine's answer: %w", err)
	}
	return nil
}

// List returns the newest syncs.
func (r *RemoteHistory) List(ctx context.Context, namespace, name string, most int) (list []history.Sync, err error) {
	return list, r.ask(ctx, &list, map[string]string{"limit": strconv.Itoa(most)}, "apps", namespace, name)
}

// Trace reads a sync and what came after it.
func (r *RemoteHistory) Trace(ctx context.Context, id string) (*syncs.Trace, error) {
	t := &syncs.Trace{}
	return t, r.ask(ctx, t, nil, "syncs", id)
}

// Diff compares what two syncs applied.
func (r *RemoteHistory) Diff(ctx context.Context, a, b string) (*chronicle.Difference, error) {
	d := &chronicle.Difference{}
	return d, r.ask(ctx, d, nil, "diff", a, b)
}

// Close does nothing.
func (r *RemoteHistory) Close() error { return nil }

// servedPast is the history of one Application, as a server tells it.
type servedPast struct {
	server *apiclient.Client
	of     apiclient.Key
}

// List implements Historian.
func (s servedPast) List(ctx context.Context, namespace, name string, most int) ([]history.Sync, error) {
	return s.server.Syncs(ctx, apiclient.Key{Namespace: namespace, Name: name}, most)
}

// Trace implements Historian.
func (s servedPast) Trace(ctx context.Context, id string) (*syncs.Trace, error) {
	return s.server.Trace(ctx, s.of, id)
}

// Diff implements Historian.
func (s servedPast) Diff(ctx context.Context, a, b string) (*chronicle.Difference, error) {
	list, err := s.server.Compare(ctx, s.of, a, b)
	if err != nil {
		return nil, err
	}
	out := &chronicle.Difference{}
	changes := map[string]forecast.Change{"create": forecast.Added, "prune": forecast.Removed, "update": forecast.Changed}
	for i := range list {
		d := &list[i]
		o := forecast.Object{Change: changes[d.Verb], Group: d.Group, Version: d.Version, Kind: d.Kind, Namespace: d.Namespace, Name: d.Name}
		for _, c := range d.Changes {
			o.Fields = append(o.Fields, forecast.Field{Path: c.Path, Old: c.Old, New: c.New, Masked: c.Old == nil && c.New == nil})
		}
		out.Objects = append(out.Objects, o)
	}
	return out, nil
}

// Close does nothing.
func (servedPast) Close() error { return nil }
