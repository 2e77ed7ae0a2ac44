package api

import (
	"encoding/json"
	"strings"
	"testing"
)

// Long values are cut where there is one of each cluster, between letters.
func TestValuesOfAllClustersAreCut(t *testing.T) {
	k := keyOn("dev", &BridgeKey{Value: strings.Repeat("ä", shownValue)})
	if !k.Cut || len(k.Value) > shownValue || strings.Trim(k.Value, "ä") != "" {
		t.Errorf("%t, %d bytes", k.Cut, len(k.Value))
	}
	if k := keyOn("dev", &BridgeKey{Value: "eu"}); k.Cut || k.Value != "eu" {
		t.Errorf("got %+v", k)
	}
}

// A key is told of each cluster: of one that has it, and of one that misses it.
func TestBridgeKey(t *testing.T) {
	h := newWorld().handler()
	for query, want := range map[string]BridgeKeyCluster{
		"in=label&name=region":   {Cluster: "dev", Value: "eu"},
		"in=annotation&name=vpc": {Cluster: "dev", Missing: true},
	} {
		var got BridgeAcross
		if err := json.Unmarshal(send(t, h, "reader", "GET", "/bridge-key?"+query, "").Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Clusters) != 1 || got.Clusters[0] != want {
			t.Errorf("%s: %+v", query, got)
		}
	}
}
