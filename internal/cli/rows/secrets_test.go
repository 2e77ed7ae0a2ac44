package rows

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

func TestNothingSecretIsPrinted(t *testing.T) {
	repository := repositoryOf(&corev1.Secret{Data: map[string][]byte{
		"url": []byte("https://git.example.com/x"), "username": []byte("u"), "password": []byte("hunter2"),
	}})
	if !repository.Credentials || repository.Type != "git" {
		t.Errorf("got %+v", repository)
	}
	cluster := ClusterRow(target.Spoke{Cluster: gitops.Cluster{Name: "x", Annotations: map[string]string{
		corev1.LastAppliedConfigAnnotation: `{"stringData":{"config":"hunter2"}}`, "region": "eu",
	}}}, fleetstatus.Tally{}, Answer{State: "reachable"}, nil, nil)
	var out bytes.Buffer
	if err := table.PrintValue(&out, table.AsJSON, []any{repository, cluster.Object}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "hunter2") || !strings.Contains(out.String(), `"region": "eu"`) {
		t.Errorf("printed %s", out.String())
	}
}

func TestARepositorysPasswordIsNotShown(t *testing.T) {
	app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{RepoURL: "https://user:hunter2@git.example.com/shop.git", Path: "."}}}
	views := map[string]*Repository{}
	placedOf(views).use(app)
	for _, view := range views {
		printed, err := json.Marshal(view)
		if err != nil || strings.Contains(string(printed), "hunter2") || !view.Credentials || view.Apps != 1 {
			t.Errorf("the address has a password, or lacks what is known: %s, %v", printed, err)
		}
	}
	if len(views) != 1 {
		t.Errorf("one repository: %v", views)
	}
}
