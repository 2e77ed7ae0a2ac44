package kms

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestUnitOfTheGuide: an API server in a container has the folder of the socket mounted. If systemd makes another one at
// a restart, the API server never finds the socket again.
func TestUnitOfTheGuide(t *testing.T) {
	unit := strings.Split(ofGuide(t, "ini", "[Service]"), "\n")
	for _, line := range []string{"RuntimeDirectory=" + filepath.Base(filepath.Dir(defaultSocket)), "RuntimeDirectoryPreserve=yes", "Restart=always"} {
		if !slices.Contains(unit, line) {
			t.Errorf("the unit has no line %s", line)
		}
	}
}

// TestPodOfTheGuide: the folders that it mounts are root's, and so are the files of keys that no other user may read.
func TestPodOfTheGuide(t *testing.T) {
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict([]byte(ofGuide(t, "yaml", "kind: Pod")), &pod); err != nil {
		t.Fatal(err)
	}
	one := pod.Spec.Containers[0]
	if c := one.SecurityContext; c == nil || c.RunAsUser == nil || *c.RunAsUser != 0 || c.Capabilities == nil || !slices.Contains(c.Capabilities.Drop, "ALL") {
		t.Errorf("it does not run as root without capabilities: %v", c)
	}
	if !slices.ContainsFunc(one.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == filepath.Dir(defaultSocket) && !m.ReadOnly }) {
		t.Errorf("it has no folder for %s", defaultSocket)
	}
}

// ofGuide is the block of a language that has a text.
func ofGuide(t *testing.T, language, has string) string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/how-to/encrypt-at-rest.md")
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(page), "```"+language+"\n") {
		if text, _, ended := strings.Cut(block, "```"); ended && strings.Contains(text, has) {
			return text
		}
	}
	t.Fatalf("the guide has no block of %s with %q", language, has)
	return ""
}
