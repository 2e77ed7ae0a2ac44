package secrets

import (
	"context"
	"errors"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/secrets/usage"
)

// pageSize is how many objects one request of a list asks for.
const pageSize = 500

// reader reads one cluster.
type reader struct {
	client.Reader

	cluster, control string
}

// newReader connects to a cluster. It asks for no catalogue first: the kinds are few, and known.
func newReader(config *rest.Config, cluster, control string) (*reader, error) {
	scheme, mapper := runtime.NewScheme(), meta.NewDefaultRESTMapper(nil)
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, esv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("cannot register the API types: %w", err)
		}
	}
	for _, kind := range []string{esv1.ExternalSecretKind, esv1.SecretStoreKind} {
		mapper.Add(esv1.GroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	mapper.Add(esv1.GroupVersion.WithKind(esv1.ClusterSecretStoreKind), meta.RESTScopeRoot)
	for _, kind := range []string{secretKind, "ServiceAccount"} {
		mapper.Add(corev1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet"} {
		mapper.Add(appsv1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	for _, kind := range []string{"Job", "CronJob"} {
		mapper.Add(batchv1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	c, err := client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
	if err != nil {
		return nil, err
	}
	return &reader{Reader: c, cluster: cluster, control: control}, nil
}

// eachPage lists a kind page by page, so that of a large cluster only what is kept of it is held.
func eachPage(ctx context.Context, r client.Reader, list client.ObjectList, keep func(), options ...client.ListOption) error {
	next := ""
	for {
		if err := r.List(ctx, list, append(options, client.Limit(pageSize), client.Continue(next))...); err != nil {
			return err
		}
		keep()
		next = list.GetContinue()
		if next == "" {
			return nil
		}
	}
}

// external lists the ExternalSecrets of a namespace, of all where it is empty.
func (r *reader) external(ctx context.Context, namespace string) (all []esv1.ExternalSecret, err error) {
	var list esv1.ExternalSecretList
	err = eachPage(ctx, r, &list, func() { all = append(all, list.Items...) }, client.InNamespace(namespace))
	if target.IsMissingKind(err) {
		return nil, nil // who has no such kind has no such objects
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list ExternalSecrets: %w", err)
	}
	return all, nil
}

// content reads a namespace of the cluster, or all of it where it is empty. What could not be read beside
// ExternalSecrets is told in the warnings, once each; all together where the time is over, as that is one reason.
func (r *reader) content(ctx context.Context, namespace string, all []esv1.ExternalSecret) (*content, []string) {
	c := &content{cluster: r.cluster, control: r.control, external: all, stores: map[types.NamespacedName]Store{}, secrets: map[types.NamespacedName]*metav1.PartialObjectMetadata{}}
	var warnings, late []string
	told := func(what, problem string, err error) {
		switch {
		case err == nil:
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			late = append(late, what)
		default:
			warnings = append(warnings, fmt.Sprintf("cluster %s: %s: %v", r.cluster, problem, err))
		}
	}
	c.storesUnread = r.stores(ctx, c, namespace)
	told("the stores", "the stores cannot be listed", c.storesUnread)
	c.secretsUnread = r.secrets(ctx, c, namespace)
	told("the Secrets", "not all Secrets can be read, not even their metadata, so that none counts as missing", c.secretsUnread)
	told("who uses them", "not all who use Secrets are known", r.workloads(ctx, c, namespace))
	if len(late) > 0 {
		warnings = append(warnings, fmt.Sprintf("cluster %s did not answer all within %s, so that this is not known, or not all of it: %s", r.cluster, patience, strings.Join(late, ", ")))
	}
	return c, warnings
}

func (r *reader) stores(ctx context.Context, c *content, namespace string) error {
	keep := func(o client.Object, spec *esv1.SecretStoreSpec) {
		s := Store{restart: restartOf(o)}
		s.Provider, s.Address = describe(spec.Provider)
		c.stores[client.ObjectKeyFromObject(o)] = s
	}
	var own esv1.SecretStoreList
	err := eachPage(ctx, r, &own, func() {
		for i := range own.Items {
			keep(&own.Items[i], &own.Items[i].Spec)
		}
	}, client.InNamespace(namespace))
	var shared esv1.ClusterSecretStoreList
	return errors.Join(err, eachPage(ctx, r, &shared, func() {
		for i := range shared.Items {
			keep(&shared.Items[i], &shared.Items[i].Spec)
		}
	}))
}

// workloads lists whoever has a template of pods. A Job of a CronJob, and what a Deployment makes, is told of as that.
func (r *reader) workloads(ctx context.Context, c *content, namespace string) error {
	accounts, failed := r.accounts(ctx, namespace)
	keep := func(kind string, o client.Object, pod *corev1.PodSpec) {
		uses := usage.Of(pod, accounts[client.ObjectKey{Namespace: o.GetNamespace(), Name: usage.Account(pod)}])
		if metav1.GetControllerOf(o) != nil || len(uses) == 0 {
			return
		}
		c.workloads = append(c.workloads, workload{kind, o.GetNamespace(), o.GetName(), restartOf(o), uses})
	}
	in := client.InNamespace(namespace)
	var (
		deployments appsv1.DeploymentList
		stateful    appsv1.StatefulSetList
		daemons     appsv1.DaemonSetList
		jobs        batchv1.JobList
		crons       batchv1.CronJobList
	)
	return errors.Join(failed,
		eachPage(ctx, r, &deployments, func() {
			for i := range deployments.Items {
				keep("Deployment", &deployments.Items[i], &deployments.Items[i].Spec.Template.Spec)
			}
		}, in),
		eachPage(ctx, r, &stateful, func() {
			for i := range stateful.Items {
				keep("StatefulSet", &stateful.Items[i], &stateful.Items[i].Spec.Template.Spec)
			}
		}, in),
		eachPage(ctx, r, &daemons, func() {
			for i := range daemons.Items {
				keep("DaemonSet", &daemons.Items[i], &daemons.Items[i].Spec.Template.Spec)
			}
		}, in),
		eachPage(ctx, r, &jobs, func() {
			for i := range jobs.Items {
				keep("Job", &jobs.Items[i], &jobs.Items[i].Spec.Template.Spec)
			}
		}, in),
		eachPage(ctx, r, &crons, func() {
			for i := range crons.Items {
				keep("CronJob", &crons.Items[i], &crons.Items[i].Spec.JobTemplate.Spec.Template.Spec)
			}
		}, in))
}

// accounts are the Secrets with which service accounts pull images.
func (r *reader) accounts(ctx context.Context, namespace string) (map[client.ObjectKey][]corev1.LocalObjectReference, error) {
	all := map[client.ObjectKey][]corev1.LocalObjectReference{}
	var list corev1.ServiceAccountList
	err := eachPage(ctx, r, &list, func() {
		for i := range list.Items {
			if a := &list.Items[i]; len(a.ImagePullSecrets) > 0 {
				all[client.ObjectKeyFromObject(a)] = a.ImagePullSecrets
			}
		}
	}, client.InNamespace(namespace))
	return all, err
}
