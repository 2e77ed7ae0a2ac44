package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"gopkg.in/yaml.v3"
)

// Setup is what the server is told at the start, in the words of Vault's API.
type Setup struct {
	// Requests are sent in this order.
	Requests []Request `yaml:"requests"`
	// EachCluster are sent for each cluster of the kubeconfig, after the method
	// auth/kubernetes/NAME was set up for it. {{cluster}} in a text is the name.
	EachCluster []Request `yaml:"eachCluster"`
}

// Request is one POST.
type Request struct {
	// Path after /v1/, such as secret/data/shop.
	Path string         `yaml:"path"`
	Body map[string]any `yaml:"body"`
}

func readSetup(file string) (Setup, error) {
	if file == "" {
		return Setup{}, nil
	}
	f, err := os.Open(file) //nolint:gosec // the user names it
	if err != nil {
		return Setup{}, fmt.Errorf("cannot read the setup: %w", err)
	}
	defer f.Close() //nolint:errcheck // read only
	decoder := yaml.NewDecoder(f)
	decoder.KnownFields(true)
	var setup Setup
	if err := decoder.Decode(&setup); err != nil {
		return Setup{}, fmt.Errorf("cannot read the setup %s: %w", file, err)
	}
	for _, r := range append(setup.Requests, setup.EachCluster...) {
		if r.Path == "" {
			return Setup{}, fmt.Errorf("cannot use the setup %s: %w", file, errNoPath)
		}
	}
	return setup, nil
}

var errNoPath = errors.New("a request has no path, such as secret/data/shop")

// in is the request of one cluster.
func (r Request) in(cluster string) Request {
	return Request{Path: replaced(r.Path, cluster).(string), Body: replaced(r.Body, cluster).(map[string]any)} //nolint:forcetypeassert // as they were
}

// replaced is a value in which texts have the cluster's name.
func replaced(value any, cluster string) any {
	switch value := value.(type) {
	case string:
		return strings.ReplaceAll(value, "{{cluster}}", cluster)
	case []any:
		all := make([]any, len(value))
		for i, inner := range value {
			all[i] = replaced(inner, cluster)
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for key, inner := range value {
			all[key] = replaced(inner, cluster)
		}
		return all
	default:
		return value
	}
}
