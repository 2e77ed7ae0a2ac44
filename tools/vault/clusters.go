package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// cluster is what Vault has to know to ask an API server about a token.
type cluster struct{ server, certificate string }

// lookAgain is how often the kubeconfig is read: it appears when a fleet starts, and
// has other addresses after a new start.
const lookAgain = time.Second / 2

// place is where the kubeconfig is: a file, or what a command prints.
type place struct{ file, command string }

// find is the file; empty while it is not known.
func (p *place) find(ctx context.Context) string {
	if p.file == "" {
		said, err := exec.CommandContext(ctx, "sh", "-c", p.command).Output() //nolint:gosec // what the user wrote
		if err == nil {
			p.file = strings.TrimSpace(string(said))
		}
	}
	return p.file
}

// followClusters lets the service accounts of the clusters of a kubeconfig log in.
func (s *server) followClusters(ctx context.Context, kubeconfig place, each []Request, out io.Writer) {
	known := map[string]cluster{}
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		for name, c := range readClusters(kubeconfig.find(ctx)) {
			if known[name] == c {
				continue
			}
			if err := s.admit(ctx, name, c, each, known[name] == cluster{}); err != nil {
				fmt.Fprintf(out, "causeway-vault: cluster %s: %v\n", name, err)
			}
			known[name] = c
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// admit sets up the method of a cluster at auth/kubernetes/NAME.
func (s *server) admit(ctx context.Context, name string, c cluster, each []Request, first bool) error {
	mount := "kubernetes/" + name
	requests := []Request{{Path: "auth/" + mount + "/config", Body: map[string]any{
		"kubernetes_host": c.server, "kubernetes_ca_cert": c.certificate, "disable_local_ca_jwt": true,
	}}}
	if first {
		requests = slices.Insert(requests, 0, Request{Path: "sys/auth/" + mount, Body: map[string]any{"type": "kubernetes"}})
	}
	for _, r := range each {
		requests = append(requests, r.in(name))
	}
	for _, r := range requests {
		if err := s.send(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// readClusters are those of a kubeconfig, by context; none while there is no whole file.
func readClusters(file string) map[string]cluster {
	text, err := os.ReadFile(file) //nolint:gosec // the user names it
	if err != nil {
		return nil
	}
	var config struct {
		Clusters []struct {
			Name    string
			Cluster struct {
				Server string
				Data   string `yaml:"certificate-authority-data"`
			}
		}
		Contexts []struct {
			Name    string
			Context struct{ Cluster string }
		}
	}
	if yaml.Unmarshal(text, &config) != nil {
		return nil
	}
	byName := map[string]cluster{}
	for _, c := range config.Clusters {
		certificate, err := base64.StdEncoding.DecodeString(c.Cluster.Data)
		if err == nil {
			byName[c.Name] = cluster{c.Cluster.Server, string(certificate)}
		}
	}
	all := map[string]cluster{}
	for _, c := range config.Contexts {
		all[c.Name] = byName[c.Context.Cluster]
	}
	maps.DeleteFunc(all, func(_ string, c cluster) bool { return c == cluster{} })
	return all
}
