// Package kubernetes_test decodes the manifests of docs/guide/kubernetes into the types of
// Kubernetes.
package kubernetes_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

const folder = "../../../docs/guide/kubernetes"

// decode returns the objects of all manifests. It refuses unknown and duplicate fields.
func decode(t *testing.T) map[string][]metav1.Object {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%v %v", files, err)
	}
	all := map[string][]metav1.Object{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = objects(t, file, content)
	}
	return all
}

func objects(t *testing.T, file string, content []byte) (list []metav1.Object) {
	t.Helper()
	for _, document := range bytes.Split(content, []byte("\n---\n")) {
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal(document, &kind); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		object, ok := map[metav1.TypeMeta]metav1.Object{
			{APIVersion: "v1", Kind: "ConfigMap"}:                  &corev1.ConfigMap{},
			{APIVersion: "v1", Kind: "Secret"}:                     &corev1.Secret{},
			{APIVersion: "v1", Kind: "PersistentVolumeClaim"}:      &corev1.PersistentVolumeClaim{},
			{APIVersion: "apps/v1", Kind: "Deployment"}:            &appsv1.Deployment{},
			{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"}: &policyv1.PodDisruptionBudget{},
			{APIVersion: "batch/v1", Kind: "Job"}:                  &batchv1.Job{},
			{APIVersion: "batch/v1", Kind: "CronJob"}:              &batchv1.CronJob{},
		}[kind]
		if !ok {
			t.Fatalf("%s: unknown kind %+v", file, kind)
		}
		if err := yaml.UnmarshalStrict(document, object); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		list = append(list, object)
	}
	return list
}

// pod returns the template of an object's pods, or nil.
func pod(object metav1.Object) *corev1.PodTemplateSpec {
	switch o := object.(type) {
	case *appsv1.Deployment:
		return &o.Spec.Template
	case *batchv1.Job:
		return &o.Spec.Template
	case *batchv1.CronJob:
		return &o.Spec.JobTemplate.Spec.Template
	}
	return nil
}

// All names that manifests refer to are names of manifests, and selectors fit their pods.
func TestReferences(t *testing.T) {
	named := map[string]bool{}
	var all []metav1.Object
	for _, list := range decode(t) {
		all = append(all, list...)
	}
	for _, o := range all {
		named[o.GetName()] = true
		for _, name := range []string{o.GetName(), strings.TrimSuffix(o.GetGenerateName(), "-")} {
			if faults := validation.IsDNS1123Subdomain(name); name != "" && len(faults) > 0 {
				t.Errorf("the name %s: %v", name, faults)
			}
		}
		for _, value := range o.GetLabels() {
			if faults := validation.IsValidLabelValue(value); len(faults) > 0 {
				t.Errorf("the label %s: %v", value, faults)
			}
		}
	}
	refer := func(from metav1.Object, name string) {
		t.Helper()
		if !named[name] {
			t.Errorf("%s refers to %s, which no manifest has", from.GetName(), name)
		}
	}
	var workers labels.Set
	for _, o := range all {
		if p := pod(o); p != nil {
			c := p.Spec.Containers[0]
			for _, from := range c.EnvFrom {
				if from.ConfigMapRef != nil {
					refer(o, from.ConfigMapRef.Name)
				} else {
					refer(o, from.SecretRef.Name)
				}
			}
			var volumes []string
			for _, v := range p.Spec.Volumes {
				volumes = append(volumes, v.Name)
				if claim := v.PersistentVolumeClaim; claim != nil {
					refer(o, claim.ClaimName)
				}
			}
			for _, m := range c.VolumeMounts {
				if !slices.Contains(volumes, m.Name) {
					t.Errorf("%s mounts %s, which is not a volume", o.GetName(), m.Name)
				}
			}
		}
		if d, ok := o.(*appsv1.Deployment); ok {
			workers = d.Spec.Template.Labels
			if selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector); err != nil || !selector.Matches(workers) {
				t.Errorf("the selector %v does not fit %v: %v", selector, workers, err)
			}
		}
	}
	for _, o := range all {
		if b, ok := o.(*policyv1.PodDisruptionBudget); ok {
			if selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector); err != nil || workers == nil || !selector.Matches(workers) {
				t.Errorf("the budget's selector %v does not fit %v: %v", selector, workers, err)
			}
		}
	}
}

// Pods run without rights, and Kubernetes waits longer for them than they wait for steps.
func TestPods(t *testing.T) {
	pods := 0
	for file, list := range decode(t) {
		for _, o := range list {
			p := pod(o)
			if p == nil {
				continue
			}
			pods++
			s, c := p.Spec, p.Spec.Containers[0]
			if !*s.SecurityContext.RunAsNonRoot || *s.AutomountServiceAccountToken || *c.SecurityContext.AllowPrivilegeEscalation ||
				!*c.SecurityContext.ReadOnlyRootFilesystem || !slices.Equal(c.SecurityContext.Capabilities.Drop, []corev1.Capability{"ALL"}) {
				t.Errorf("%s: the pods have rights", file)
			}
			if c.Resources.Requests.Cpu().IsZero() || c.Resources.Limits.Memory().IsZero() {
				t.Errorf("%s: the pods have no resources", file)
			}
			if _, job := o.(*appsv1.Deployment); !job && s.RestartPolicy == "" {
				t.Errorf("%s: a Job needs restartPolicy", file)
			}
			for _, arg := range c.Args {
				if text, ok := strings.CutPrefix(arg, "--grace="); ok {
					grace, err := time.ParseDuration(text)
					if err != nil || s.TerminationGracePeriodSeconds == nil || time.Duration(*s.TerminationGracePeriodSeconds)*time.Second <= grace {
						t.Errorf("%s: %s, %v", file, arg, err)
					}
				}
			}
			for _, probe := range []*corev1.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
				if probe == nil {
					continue
				}
				named := func(port corev1.ContainerPort) bool { return port.Name == probe.HTTPGet.Port.StrVal }
				if !slices.ContainsFunc(c.Ports, named) || probe.HTTPGet.Path != "/healthz" {
					t.Errorf("%s: the probe %v has no port", file, probe.HTTPGet)
				}
			}
		}
	}
	if pods != 4 {
		t.Errorf("%d manifests have pods", pods)
	}
}

// An unknown field is refused.
func TestStrict(t *testing.T) {
	var job batchv1.Job
	if yaml.UnmarshalStrict([]byte("apiVersion: batch/v1\nkind: Job\nspec:\n  backofLimit: 1\n"), &job) == nil {
		t.Error("an unknown field was taken")
	}
}
