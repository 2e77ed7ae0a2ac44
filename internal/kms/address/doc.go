// Package address opens the keys that addresses name: age:/etc/causeway/kms.key, vault://…, aws:…, gcp:…, azure://….
package address
