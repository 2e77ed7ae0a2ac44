package scenario

import (
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// watched are the kinds of the stories; those that a story brings itself are
// seen through their Application.
var watched = map[string]schema.GroupVersionResource{
	"Application":           {Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"},
	"ConfigMap":             {Version: "v1", Resource: "configmaps"},
	"Namespace":             {Version: "v1", Resource: "namespaces"},
	"Pod":                   {Version: "v1", Resource: "pods"},
	"PersistentVolumeClaim": {Version: "v1", Resource: "persistentvolumeclaims"},
	"Secret":                {Version: "v1", Resource: "secrets"},
	"Service":               {Version: "v1", Resource: "services"},
	"Deployment":            {Group: "apps", Version: "v1", Resource: "deployments"},
	"Job":                   {Group: "batch", Version: "v1", Resource: "jobs"},
	"CronJob":               {Group: "batch", Version: "v1", Resource: "cronjobs"},
	"Ingress":               {Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"},
	"ClusterRole":           {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	"Widget":                {Group: "sim.test", Version: "v1", Resource: "widgets"},
}

// mirror knows when something last changed, and calls those who play the
// controllers. It is safe for concurrent use.
type mirror struct {
	mu      sync.Mutex
	changed map[string]time.Time // by namespace, or name where there is none
	apps    map[string]time.Time // by name
	on      map[string][]func(*unstructured.Unstructured)
}

// watch follows all kinds until the test ends.
func watch(t *testing.T, config *rest.Config) *mirror {
	t.Helper()
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	m := &mirror{changed: map[string]time.Time{}, apps: map[string]time.Time{}, on: map[string][]func(*unstructured.Unstructured){}}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(c, 0)
	for kind, gvr := range watched {
		_, err := factory.ForResource(gvr).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { m.seen(kind, o) },
			UpdateFunc: func(_, o any) { m.seen(kind, o) },
			DeleteFunc: func(o any) { m.seen(kind, o) },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	t.Cleanup(factory.Shutdown)
	return m
}

func (m *mirror) seen(kind string, o any) {
	if tomb, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = tomb.Obj
	}
	object, ok := o.(*unstructured.Unstructured)
	if !ok {
		return
	}
	m.mu.Lock()
	switch {
	case kind == "Application":
		m.apps[object.GetName()] = time.Now()
	case object.GetNamespace() != "":
		m.changed[object.GetNamespace()] = time.Now()
	default:
		m.changed[object.GetName()] = time.Now()
	}
	handlers := m.on[kind]
	m.mu.Unlock()
	for _, handle := range handlers {
		handle(object)
	}
}

// tell calls a function for each change of a kind.
func (m *mirror) tell(kind string, handle func(*unstructured.Unstructured)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.on[kind] = append(m.on[kind], handle)
}

// last is when something of a story changed last.
func (m *mirror) last(s *story) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	var last time.Time
	later := func(at time.Time) {
		if at.After(last) {
			last = at
		}
	}
	for _, namespace := range s.Namespaces {
		later(m.changed[namespace])
	}
	for _, name := range s.names {
		later(m.changed[name])
		later(m.apps[name])
	}
	later(m.apps[s.Name])
	return last
}
