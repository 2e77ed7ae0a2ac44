// Package encryption has the API server encrypt Secrets before etcd keeps them: by KMS v2, with a key in the data folder
// that a plugin in this process has, or with a plugin of somebody else. What an earlier start wrote can be read in any case.
package encryption
