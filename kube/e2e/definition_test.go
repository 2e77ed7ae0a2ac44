package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/causeway-gitops/causeway/kube/internal/etcd"
)

const gadgets = "gadgets.kept.example.com"

// define makes a definition and waits until it is established.
func define(t *testing.T, p *process) {
	t.Helper()
	if _, err := definitions(t, p).ApiextensionsV1().CustomResourceDefinitions().Create(t.Context(), gadget("kept.example.com"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	established(t, p)
}

// gadget is the definition of gadgets of a group.
func gadget(group string) *apiextensionsv1.CustomResourceDefinition {
	preserve := true
	return &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "gadgets." + group}, Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group: group, Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "gadgets", Kind: "Gadget"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
			OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &preserve},
		}}},
	}}
}

// testDefinitionsThatGo deletes definitions as soon as they are established, before anybody has asked for their objects,
// and some while the API server is still at work on them.
func testDefinitionsThatGo(t *testing.T, p *process) {
	all := definitions(t, p).ApiextensionsV1().CustomResourceDefinitions()
	const count = 20
	var g sync.WaitGroup
	for i := range count {
		name := fmt.Sprintf("gone-%d.example.com", i)
		g.Go(func() {
			if _, err := all.Create(t.Context(), gadget(name), metav1.CreateOptions{}); err != nil {
				t.Error(err)
				return
			}
			eventually(t, func() error {
				d, err := all.Get(t.Context(), "gadgets."+name, metav1.GetOptions{})
				if err == nil && i%2 == 0 && !apihelpers.IsCRDConditionTrue(d, apiextensionsv1.Established) {
					err = errors.New("the definition is not established")
				}
				return err
			})
			if err := all.Delete(t.Context(), "gadgets."+name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	g.Wait()
	eventually(t, func() error {
		left, err := all.List(t.Context(), metav1.ListOptions{})
		if err == nil && len(left.Items) > 0 {
			err = fmt.Errorf("%d definitions have not gone: %s says %v", len(left.Items), left.Items[0].Name, left.Items[0].Status.Conditions)
		}
		return err
	})
}

func established(t *testing.T, p *process) {
	t.Helper()
	client := definitions(t, p)
	eventually(t, func() error {
		d, err := client.ApiextensionsV1().CustomResourceDefinitions().Get(t.Context(), gadgets, metav1.GetOptions{})
		if err == nil && !apihelpers.IsCRDConditionTrue(d, apiextensionsv1.Established) {
			err = errors.New("the definition is not established")
		}
		return err
	})
}

func definitions(t *testing.T, p *process) *clientset.Clientset {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", p.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	return clientset.NewForConfigOrDie(config)
}

// unestablish leaves the definition as an API server does that is killed when it has just accepted its names.
func unestablish(t *testing.T, data string) {
	t.Helper()
	sockets, err := os.MkdirTemp("", "kept") // a socket's name has to be short
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(sockets) }()
	store, err := etcd.Start(t.Context(), etcd.Config{DataDir: filepath.Join(data, "etcd"), SocketDir: sockets, Durable: true, Log: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Stop()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{store.Endpoint()}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	key := "/registry/apiextensions.k8s.io/customresourcedefinitions/" + gadgets
	found, err := client.Get(t.Context(), key)
	if err != nil || len(found.Kvs) != 1 {
		t.Fatalf("%s: %v, %v", key, found, err)
	}
	// As it is stored, in a version of its own.
	d := &unstructured.Unstructured{}
	if err := d.UnmarshalJSON(found.Kvs[0].Value); err != nil {
		t.Fatal(err)
	}
	conditions, _, err := unstructured.NestedSlice(d.Object, "status", "conditions")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range conditions {
		if c := c.(map[string]any); c["type"] == string(apiextensionsv1.Established) {
			c["status"] = string(apiextensionsv1.ConditionFalse)
		}
	}
	if err := unstructured.SetNestedSlice(d.Object, conditions, "status", "conditions"); err != nil {
		t.Fatal(err)
	}
	changed, err := d.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Put(t.Context(), key, string(changed)); err != nil {
		t.Fatal(err)
	}
}
