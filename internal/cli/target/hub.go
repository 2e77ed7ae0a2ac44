package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	apiclient "github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local"
)

// Hub is the cluster that a command talks to.
type Hub struct {
	Config    *rest.Config
	Namespace string
	Client    client.Client
	// Fleet and home are set for a local fleet, whichever way it was reached.
	Fleet *local.Fleet
	Home  local.Home
	// Server is asked instead of the hub; nil for the hub itself.
	Server *apiclient.Client
	// From says where the connection is described.
	From string
	// InCluster is that the connection is that of the pod which the process runs in.
	InCluster bool
	// caller is who asks, once introduced.
	introduce sync.Once
	caller    string
}

// Connect finds the hub: what --kubeconfig and --context say, else the local
// fleet that runs, else KUBECONFIG.
func Connect(g *command.Global) (*Hub, error) {
	if g.Server.Address != "" {
		return nil, ErrServed("what this command needs")
	}
	h, err := locate(g)
	if err != nil {
		return nil, err
	}
	return open(g, h)
}

// ConnectContext is Connect for commands about a cluster that is not this
// machine's: where nothing is named, the current context is meant.
func ConnectContext(g *command.Global) (*Hub, error) {
	if g.Kubeconfig != "" || g.Fleet != "" {
		return Connect(g)
	}
	h, err := fromKubeconfig(g, "")
	if err != nil {
		return nil, err
	}
	return open(g, h)
}

// open makes the client of a hub that was found.
func open(g *command.Global, h *Hub) (_ *Hub, err error) {
	h.Namespace = cmp.Or(g.Namespace, h.Namespace, local.DefaultNamespace)
	h.Config.QPS = -1 // the API server limits by itself
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), causeway.AddToScheme(scheme), corev1.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("cannot register the API types: %w", err)
	}
	h.Client, err = client.New(h.Config, client.Options{Scheme: scheme, Mapper: mapper()})
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for the hub: %w", err)
	}
	return h, nil
}

// mapper knows the few kinds that commands read, so that none of them has to
// ask the API server for its whole catalogue first.
func mapper() meta.RESTMapper {
	m := meta.NewDefaultRESTMapper(nil)
	m.Add(v1alpha1.ApplicationGVK, meta.RESTScopeNamespace)
	m.Add(v1alpha1.ApplicationSetGVK, meta.RESTScopeNamespace)
	m.Add(v1alpha1.AppProjectGVK, meta.RESTScopeNamespace)
	m.Add(causeway.ClusterGVK, meta.RESTScopeNamespace)
	m.Add(causeway.MetadataSchemaGVK, meta.RESTScopeNamespace)
	metadata := causeway.GroupVersion.WithResource("clustermetadata") // no plural of its own
	m.AddSpecific(causeway.ClusterMetadataGVK, metadata, metadata, meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("Secret"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("Event"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("Service"), meta.RESTScopeNamespace)
	return m
}

func locate(g *command.Global) (*Hub, error) {
	if g.Kubeconfig != "" || g.Context != "" && os.Getenv("KUBECONFIG") != "" {
		return fromKubeconfig(g, g.Kubeconfig)
	}
	home, err := Home(g)
	if err == nil && home.Running() {
		return fromHome(g, home)
	}
	if usage := (command.UsageError{}); errors.As(err, &usage) || g.Fleet != "" && err != nil {
		return nil, err
	}
	if os.Getenv("KUBECONFIG") != "" || g.Context != "" {
		return fromKubeconfig(g, "")
	}
	if err == nil {
		return nil, fmt.Errorf("fleet %s is not running: start it with `causeway up`, or name another hub with --kubeconfig", home.Fleet())
	}
	return nil, fmt.Errorf("%w; or name the hub with --kubeconfig or KUBECONFIG", err)
}

func fromHome(g *command.Global, home local.Home) (*Hub, error) {
	fleet, err := home.Recall()
	if err != nil {
		return nil, err
	}
	contexts, err := home.Contexts()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("fleet %s is just starting: its clusters are not ready yet", fleet.Name)
	}
	if err != nil {
		return nil, err
	}
	config, err := configOf(g, clientcmd.NewNonInteractiveClientConfig(*contexts, g.Context, overrides(g), nil))
	if err != nil {
		return nil, err
	}
	return &Hub{Config: config, Home: home, Fleet: fleet, Namespace: fleet.Namespace, From: "local fleet " + fleet.Name}, nil
}

// NoPrograms tells of a local fleet that was started without --cluster-programs.
func (h *Hub) NoPrograms() bool { return h.Fleet != nil && !h.Fleet.Programs }

func fromKubeconfig(g *command.Global, path string) (*Hub, error) {
	if path != "" {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	}
	files := []string{path}
	if path == "" {
		files = filepath.SplitList(os.Getenv("KUBECONFIG"))
	}
	fleets := fleetsOf(files)
	if err := usable(fleets, len(files)); err != nil {
		return nil, err
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	config, err := configOf(g, clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides(g)))
	if err != nil {
		return nil, err
	}
	h := &Hub{Config: config, From: "kubeconfig " + cmp.Or(path, os.Getenv("KUBECONFIG"), "of the user")}
	return h, recognize(g, h, fleets)
}

// recognize makes a hub a local fleet's where its kubeconfig leads to one,
// whichever way that was named: its Secrets and settings are of a checkout all
// the same. Besides the user's own fleets, those count whose kubeconfigs are given.
func recognize(g *command.Global, h *Hub, given []local.Home) error {
	var states []string
	for _, home := range given {
		states = append(states, filepath.Dir(home.Dir()))
	}
	if state, err := StateFolder(g); err == nil {
		states = append(states, state)
	}
	home, ok := local.Recognize(h.Config, states...)
	if !ok {
		return nil
	}
	fleet, err := home.Recall()
	if err != nil {
		return err // what it may run is not known
	}
	h.Home, h.Fleet, h.Namespace = home, fleet, fleet.Namespace
	return nil
}

func overrides(g *command.Global) *clientcmd.ConfigOverrides {
	return &clientcmd.ConfigOverrides{CurrentContext: g.Context}
}

// configOf is the connection of the context that is asked for; an unknown one
// suggests the nearest.
func configOf(g *command.Global, loader clientcmd.ClientConfig) (*rest.Config, error) {
	config, err := loader.ClientConfig()
	if err == nil {
		return config, nil
	}
	raw, rawErr := loader.RawConfig()
	if rawErr != nil || g.Context == "" {
		return nil, fmt.Errorf("cannot use the kubeconfig: %w", err)
	}
	var known []string
	for name := range raw.Contexts {
		known = append(known, name)
	}
	return nil, command.Usagef("the kubeconfig has no context %q%s", g.Context, gitops.DidYouMean(g.Context, known))
}

// usable refuses the kubeconfig of a local fleet that is stopped, where it is the
// only one of so many files: the refused connection would not say what to do. And
// one that has what `causeway up` does not write, wherever it is.
func usable(fleets []local.Home, files int) error {
	for _, home := range fleets {
		if files == 1 && !home.Running() {
			return fmt.Errorf("fleet %s is not running: start it with `causeway up`, or name another hub with --kubeconfig", home.Fleet())
		}
		if _, err := home.Contexts(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// fleetsOf are the local fleets whose own kubeconfigs are among some files, by
// their names or where links lead.
func fleetsOf(kubeconfigs []string) []local.Home {
	var out []local.Home
	for _, name := range kubeconfigs {
		full, err := filepath.Abs(name)
		if name == "" || err != nil {
			continue // the one who reads the file will tell
		}
		for _, at := range []string{full, bounded.Real(full)} {
			home, err := local.HomeOf(filepath.Dir(filepath.Dir(at)), filepath.Base(filepath.Dir(at)))
			if err == nil && home.Kubeconfig() == at && home.Exists() && !slices.Contains(out, home) {
				out = append(out, home)
			}
		}
	}
	return out
}

// Explain says what a failed request means to a person.
func (h *Hub) Explain(err error) error {
	var wire *url.Error
	switch {
	case err == nil:
		return nil
	case h.Server != nil:
		return h.explainServed(err)
	case gitops.IsProblem(err, gitops.Unreachable):
		return err // it says what did not answer, which need not be the hub
	case meta.IsNoMatchError(err), IsMissingKind(err):
		return fmt.Errorf("the hub (%s) does not know Applications: install the definitions with `causeway run --install-crds`", h.From)
	case errors.As(err, &wire):
		return fmt.Errorf("cannot reach the hub at %s (%s): %w", h.Config.Host, h.From, wire.Err)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the hub at %s refuses the credentials of %s: %w", h.Config.Host, h.From, err)
	}
	return err
}

// IsMissingKind tells an unknown path from an unknown object.
func IsMissingKind(err error) bool {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details == nil || details.Name == ""
}

// IsMissing reports whether an object is not there, where the hub has its kind.
func IsMissing(err error) bool { return apierrors.IsNotFound(err) && !IsMissingKind(err) }

// Application reads one Application, named as NAME or NAMESPACE/NAME; an
// unknown name suggests the nearest.
func (h *Hub) Application(ctx context.Context, name string) (*v1alpha1.Application, error) {
	if err := CheckNames([]string{name}); err != nil {
		return nil, err
	}
	key := h.Key(name)
	app := &v1alpha1.Application{}
	err := h.Client.Get(ctx, key, app)
	if err == nil {
		return app, nil
	}
	if !IsMissing(err) {
		return nil, h.Explain(err)
	}
	list := &v1alpha1.ApplicationList{}
	_ = h.Client.List(ctx, list, client.InNamespace(key.Namespace)) // only for the suggestion
	known := make([]string, 0, len(list.Items))
	for i := range list.Items {
		known = append(known, list.Items[i].Name)
	}
	return nil, fmt.Errorf("there is no application %q in namespace %s of the hub%s", key.Name, key.Namespace, command.NearOr(key.Name, known, "get apps"))
}

// ApplicationSet reads one ApplicationSet; an unknown name suggests the nearest.
func (h *Hub) ApplicationSet(ctx context.Context, name string) (*v1alpha1.ApplicationSet, error) {
	set := &v1alpha1.ApplicationSet{}
	err := h.Client.Get(ctx, client.ObjectKey{Namespace: h.Namespace, Name: name}, set)
	if err == nil {
		return set, nil
	}
	if !IsMissing(err) {
		return nil, h.Explain(err)
	}
	list := &v1alpha1.ApplicationSetList{}
	_ = h.Client.List(ctx, list, client.InNamespace(h.Namespace)) // only for the suggestion
	known := make([]string, 0, len(list.Items))
	for i := range list.Items {
		known = append(known, list.Items[i].Name)
	}
	return nil, fmt.Errorf("there is no application set %q in namespace %s of the hub%s", name, h.Namespace, command.NearOr(name, known, "get appsets"))
}

// CheckNames refuses what can be no NAME or NAMESPACE/NAME.
func CheckNames(names []string) error {
	for _, name := range names {
		for part := range strings.SplitSeq(name, "/") {
			if strings.Count(name, "/") > 1 || len(validation.IsDNS1123Subdomain(part)) > 0 {
				return command.Usagef("%q is no name of an application: write NAME, or NAMESPACE/NAME", name)
			}
		}
	}
	return nil
}

// Key is what an argument names: NAME in the control namespace, or NAMESPACE/NAME.
func (h *Hub) Key(name string) client.ObjectKey {
	if namespace, name, ok := strings.Cut(name, "/"); ok {
		return client.ObjectKey{Namespace: namespace, Name: name}
	}
	return client.ObjectKey{Namespace: h.Namespace, Name: name}
}

// NameOf is how an argument names an object.
func (h *Hub) NameOf(o client.Object) string {
	return gitops.NameFrom(h.Namespace, o.GetNamespace(), o.GetName())
}

// Patch writes what differs from before.
func (h *Hub) Patch(ctx context.Context, before, o client.Object) error {
	if err := h.Client.Patch(ctx, o, client.MergeFrom(before), client.FieldOwner("causeway-cli")); err != nil {
		return fmt.Errorf("cannot change %s: %w", o.GetName(), h.Explain(err))
	}
	return nil
}
