package observe

import (
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func service(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	r.items("spec", "ports")
	if r.text("spec", "type") != "LoadBalancer" {
		return healthy(""), r.err
	}
	return addressed(r), r.err
}

func ingress(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	return addressed(r), r.err
}

func addressed(r *reader) gitops.Health {
	if len(r.items("status", "loadBalancer", "ingress")) > 0 {
		return healthy("")
	}
	return progressing("Waiting for an address of the load balancer")
}

func volumeClaim(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	switch r.text("status", "phase") {
	case "Bound":
		return healthy(""), r.err
	case "Pending":
		return progressing("Waiting for a volume"), r.err
	case "Lost":
		return degraded("The volume is lost"), r.err
	}
	return gitops.Health{Code: gitops.HealthUnknown}, r.err
}

// failedScaling are the reasons, by condition type, with which an autoscaler
// says that it cannot work.
var failedScaling = map[string]map[string]bool{
	"AbleToScale": {"FailedGetScale": true, "FailedUpdateScale": true},
	"ScalingActive": {
		"FailedGetResourceMetric": true, "FailedGetPodsMetric": true, "FailedGetObjectMetric": true,
		"FailedGetExternalMetric": true, "FailedComputeMetricsReplicas": true, "InvalidSelector": true,
	},
}

// autoscalerConditions is where autoscaling/v1 keeps its conditions, as JSON.
const autoscalerConditions = "autoscaling.alpha.kubernetes.io/conditions"

func autoscaler(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	conditions := r.conditions()
	if o.GroupVersionKind().Version == "v1" {
		var err error
		if conditions, err = annotatedConditions(r.text("metadata", "annotations", autoscalerConditions)); err != nil {
			return gitops.Health{}, err
		}
	}
	for _, c := range conditions {
		if failedScaling[c.kind][c.reason] {
			return degraded(c.message), r.err
		}
	}
	for _, c := range conditions {
		if (c.kind == "AbleToScale" || c.kind == "ScalingLimited") && c.status == "True" {
			return healthy(c.message), r.err
		}
	}
	return progressing("Waiting for the autoscaler"), r.err
}

func annotatedConditions(text string) ([]condition, error) {
	if text == "" {
		return nil, nil
	}
	var list []struct {
		Type    string `json:"type"`
		Status  string `json:"status"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("cannot read annotation %s: %w", autoscalerConditions, err)
	}
	out := make([]condition, len(list))
	for i, c := range list {
		out[i] = condition{c.Type, c.Status, c.Reason, c.Message}
	}
	return out, nil
}

// disruptionBudget is healthy as soon as it is processed: that it allows no
// disruption right now is what it is for.
func disruptionBudget(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	c, ok := find(r.conditions(), "DisruptionAllowed")
	if !ok {
		return progressing("Waiting for status"), r.err
	}
	if c.status == "True" || c.reason == "InsufficientPods" {
		return healthy(c.reason), r.err
	}
	return degraded(c.reason + ": " + c.message), r.err
}

func apiService(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	c, ok := find(r.conditions(), "Available")
	if !ok {
		return progressing("Waiting to be processed"), r.err
	}
	if c.status == "True" {
		return healthy(c.reason + ": " + c.message), r.err
	}
	return progressing("%s: %s", c.reason, c.message), r.err
}

func definition(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	if r.at("status") == nil {
		return gitops.Health{}, errors.New("it has no status")
	}
	conditions := r.conditions()
	is := func(kind, status string) (condition, bool) {
		c, ok := find(conditions, kind)
		return c, ok && c.status == status
	}
	established, known := find(conditions, "Established")
	if c, ok := is("Terminating", "True"); ok {
		return progressing("The definition is being deleted: %s", c.message), r.err
	}
	if c, ok := is("NamesAccepted", "False"); ok {
		return degraded("Its names are not accepted: " + c.message), r.err
	}
	if c, ok := is("NonStructuralSchema", "True"); ok {
		return degraded("Its schema is not structural: " + c.message), r.err
	}
	if !known || established.status != "True" && established.reason == "Installing" {
		return progressing("Waiting to be established"), r.err
	}
	if established.status != "True" {
		return degraded("It is not established: " + established.message), r.err
	}
	return healthy("The definition is established"), r.err
}

func workflow(o *unstructured.Unstructured) (gitops.Health, error) {
	status := reader{o: o.Object}
	message := status.text("status", "message")
	switch status.text("status", "phase") {
	case "", "Pending", "Running":
		return progressing("%s", message), nil
	case "Succeeded":
		return healthy(message), nil
	case "Failed", "Error":
		return degraded(message), nil
	}
	return gitops.Health{Code: gitops.HealthUnknown, Message: message}, nil
}

// awsControllers ends the groups of the AWS Controllers for Kubernetes. Their
// check came to Argo CD after the release whose checks ship.
const awsControllers = ".services.k8s.aws"

// awsResource goes by the first condition that decides.
func awsResource(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	for _, c := range r.conditions() {
		switch {
		case c.kind == "ACK.Terminal" && c.status == "True":
			return degraded(c.message), r.err
		case c.kind == "Ready" && c.status == "True":
			return healthy(""), r.err
		case c.kind == "Ready" && c.status == "False":
			return progressing("%s", c.message), r.err
		}
	}
	return progressing("Waiting for the resource to be ready"), r.err
}
