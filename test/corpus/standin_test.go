package corpus

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/causeway-gitops/causeway/internal/source"
)

// The stand-in for a chart whose files cannot be had: it shows the values that it was given, and has something that
// gets healthy. The names fit into a label whatever the release is called.
const (
	showValues = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}
  {{- if not .Release.Namespace }}
  namespace: default
  {{- end }}
data:
  values.yaml: |
    {{- toYaml .Values | nindent 4 }}
`
	runSomething = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}
  {{- if not .Release.Namespace }}
  namespace: default
  {{- end }}
spec:
  replicas: 1
  selector:
    matchLabels: {app: {{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}}
  template:
    metadata:
      labels: {app: {{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}}
    spec:
      containers: [{name: main, image: registry.example.com/stand-in:1}]
`
	// defaults are the values of the chart itself, to be seen under all layers.
	defaults = "standIn: {chart: %q, version: %q}\n"
)

// templates are the files that a chart without templates gets.
func templates() map[string]string {
	return map[string]string{"templates/values.yaml": showValues, "templates/deployment.yaml": runSomething}
}

func standInChart(name, version string) map[string]string {
	files := templates()
	files["Chart.yaml"] = fmt.Sprintf("apiVersion: v2\nname: %q\nversion: %q\n", name, version)
	files["values.yaml"] = fmt.Sprintf(defaults, name, version)
	return files
}

// workload is what a folder of another repository holds, where it must not be a chart.
const workload = `apiVersion: v1
kind: ConfigMap
metadata: {name: stand-in}
data: {made: for a test}
`

var number = regexp.MustCompile(`\d+(\.\d+){0,2}`)

// versionFor finds a version that a revision asks for; false when there is none.
func versionFor(revision string) (string, bool) {
	if _, err := semver.StrictNewVersion(strings.TrimPrefix(revision, "v")); err == nil {
		return revision, true
	}
	c, err := semver.NewConstraint(revision)
	if err != nil {
		return "", false
	}
	for _, n := range append(number.FindAllString(revision, -1), "1.0.0") {
		v, err := semver.NewVersion(n)
		if err != nil {
			continue
		}
		for _, candidate := range []semver.Version{*v, v.IncPatch(), v.IncMinor()} {
			if c.Check(&candidate) {
				return candidate.String(), true
			}
		}
	}
	return "", false
}

// shelves writes stand-ins for all charts below dir, and returns a mirror for each of their repositories. A repository
// on the web holds folders, a registry archives.
func shelves(dir string, charts map[chartRef]bool) ([]source.Mirror, error) {
	var mirrors []source.Mirror
	made := map[string]bool{}
	for ref := range charts {
		if strings.Contains(ref.repo+ref.chart, "{{") {
			continue
		}
		shelf := filepath.Join(dir, plain(ref.repo))
		if !made[shelf] {
			made[shelf] = true
			mirrors = append(mirrors, source.Mirror{URL: ref.repo, Path: shelf})
		}
		if err := os.MkdirAll(shelf, 0o755); err != nil {
			return nil, err
		}
		version, ok := versionFor(ref.revision)
		if !ok {
			continue
		}
		files := standInChart(path.Base(ref.chart), version)
		var err error
		if strings.Contains(ref.repo, "://") && !strings.HasPrefix(ref.repo, "oci://") {
			err = writeFiles(filepath.Join(shelf, ref.chart, version), files)
		} else {
			err = writeArchive(filepath.Join(shelf, filepath.FromSlash(ref.chart)), path.Base(ref.chart), version, files)
		}
		if err != nil {
			return nil, err
		}
	}
	return mirrors, nil
}

// plain makes a folder's name of an address.
func plain(url string) string {
	_, rest, found := strings.Cut(url, "://")
	if !found {
		rest = url
	}
	return strings.TrimSuffix(strings.ReplaceAll(strings.Trim(rest, "/"), "/", "_"), ".git")
}

func writeFiles(dir string, files map[string]string) error {
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

func writeArchive(dir, name, version string, files map[string]string) error {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	w := tar.NewWriter(zip)
	for file, text := range files {
		header := &tar.Header{Name: path.Join(name, file), Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return err
		}
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		return err
	}
	return writeFiles(dir, map[string]string{name + "-" + version + ".tgz": out.String()})
}
