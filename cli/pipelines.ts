// The CI pipelines that `touchstone init` can write, each whole: check, run in shards, sweep, merge, keep the report, fuzz at night; nothing is sent.

export const ciKinds = ['github', 'gitlab', 'kubernetes'] as const
export type CiKind = (typeof ciKinds)[number]

export interface Pipeline {
  /** From the root of the repository or, where it may lie anywhere, from the working directory; with `/`. */
  readonly path: string
  readonly content: string
  /** What has to be done before it works, where it is kept in that file. */
  readonly next: (path: string) => string
}

const github = `# Holds the target against the interface document every night, and on demand.
name: conformance

on:
  workflow_dispatch:
  schedule:
    - cron: '17 3 * * *'

permissions:
  contents: read

# Two runs at a time would see each other's resources.
concurrency:
  group: conformance
  cancel-in-progress: false

jobs:
  conformance:
    runs-on: ubuntu-latest
    timeout-minutes: 60
    strategy:
      fail-fast: false
      matrix:
        # One machine for each entry, such as [1, 2, 3, 4].
        shard: [1]
    env:
      TOUCHSTONE_TOKEN: \${{ secrets.TOUCHSTONE_TOKEN }}
      # Read by --shard auto.
      STRATEGY_JOB_INDEX: \${{ strategy.job-index }}
      STRATEGY_JOB_TOTAL: \${{ strategy.job-total }}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
          cache: npm
      # touchstone is one of the devDependencies, so that its version is pinned; --no: never fetch another one.
      - run: npm ci
      - name: Check the target file and the target
        run: npx --no touchstone doctor
      - name: Run
        run: npx --no touchstone run --shard auto --seed \${{ github.run_number }} --max-time 30m --out shard-\${{ matrix.shard }}
      - name: Delete what an interrupted run left
        if: always()
        run: npx --no touchstone sweep --out shard-\${{ matrix.shard }}
      - name: Keep the record
        if: always()
        uses: actions/upload-artifact@v4
        with:
          name: shard-\${{ matrix.shard }}
          path: shard-\${{ matrix.shard }}/
          if-no-files-found: ignore

  report:
    needs: conformance
    if: always()
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
          cache: npm
      - run: npm ci
      - uses: actions/download-artifact@v4
        with:
          path: shards
      # Its exit code is the verdict of the whole run.
      - name: Merge the shards
        run: npx --no touchstone report --merge shards/*/results.json --out touchstone-report
      - name: Keep the report
        if: always()
        uses: actions/upload-artifact@v4
        with:
          name: touchstone-report
          path: touchstone-report/
          if-no-files-found: ignore

  # Random programs for two hours, after the run of the night: two at a time would see each other's resources.
  fuzz:
    needs: conformance
    if: \${{ !cancelled() && github.event_name == 'schedule' }}
    runs-on: ubuntu-latest
    timeout-minutes: 150
    env:
      TOUCHSTONE_TOKEN: \${{ secrets.TOUCHSTONE_TOKEN }}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
          cache: npm
      - run: npm ci
      - name: Take the programs of earlier nights
        uses: actions/cache/restore@v4
        with:
          path: corpus
          key: touchstone-corpus-\${{ github.run_id }}
          restore-keys: touchstone-corpus-
      - name: Fuzz
        run: npx --no touchstone fuzz --max-time 2h --corpus corpus --out night
      - name: Delete what an interrupted night left
        if: always()
        run: npx --no touchstone sweep --out night
      # Also after a night with findings, which fails.
      - name: Keep the programs that reached something new
        if: always()
        uses: actions/cache/save@v4
        with:
          path: corpus
          key: touchstone-corpus-\${{ github.run_id }}-\${{ github.run_attempt }}
      - name: Keep the record
        if: always()
        uses: actions/upload-artifact@v4
        with:
          name: night
          path: night/
          if-no-files-found: ignore
`

const gitlab = `# Holds the target against the interface document; include it from .gitlab-ci.yml, and schedule the pipeline.
# Where that file has stages of its own, name these there as well.
stages: [conformance, report, fuzz]

.touchstone:
  image: node:22
  cache:
    key: { files: [package-lock.json] }
    paths: [.npm/]
  before_script:
    # touchstone is one of the devDependencies, so that its version is pinned; --no: never fetch another one.
    - npm ci --cache .npm

conformance:
  extends: .touchstone
  stage: conformance
  timeout: 1h
  # Machines; --shard auto reads which of them this is.
  parallel: 1
  # The report carries the verdict of all of them.
  allow_failure: true
  script:
    - npx --no touchstone doctor
    - npx --no touchstone run --shard auto --seed "$CI_PIPELINE_IID" --max-time 30m --out "shards/\${CI_NODE_INDEX:-1}"
  after_script:
    - npx --no touchstone sweep --out "shards/\${CI_NODE_INDEX:-1}"
  artifacts:
    when: always
    paths: [shards/]

report:
  extends: .touchstone
  stage: report
  script:
    - npx --no touchstone report --merge shards/*/results.json --out touchstone-report
  artifacts:
    when: always
    paths: [touchstone-report/]
    reports:
      junit: touchstone-report/junit.xml

# Random programs for two hours, in pipelines that are scheduled alone, and after the run: two at a time would see each other's resources.
fuzz:
  extends: .touchstone
  stage: fuzz
  timeout: 2h 30m
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
      when: always
  cache:
    - key: { files: [package-lock.json] }
      paths: [.npm/]
    # Programs that reached something new, from night to night; also of one with findings, which fails.
    - key: touchstone-corpus
      paths: [corpus/]
      when: always
  script:
    - npx --no touchstone fuzz --max-time 2h --corpus corpus --out night
  after_script:
    - npx --no touchstone sweep --out night
  artifacts:
    when: always
    paths: [night/]
    reports:
      junit: night/junit.xml
`

const kubernetes = `# Holds the target against the interface document: an Indexed Job, a machine for each index, then a Job that merges them; and a CronJob that
# fuzzes every night, at an hour when no run goes on: two at a time would see each other's resources.
# kubectl apply -f, and kubectl logs job/touchstone-report -f: its exit code is the verdict of the whole run.
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: touchstone
spec:
  accessModes: [ReadWriteMany]
  resources:
    requests:
      storage: 2Gi
---
apiVersion: batch/v1
kind: Job
metadata:
  name: touchstone
spec:
  completionMode: Indexed
  # Machines: as many here, under parallelism, and in JOB_COMPLETIONS of both Jobs.
  completions: 1
  parallelism: 1
  backoffLimit: 0
  activeDeadlineSeconds: 3600
  template:
    spec:
      restartPolicy: Never
      # Time to remove what the run has made.
      terminationGracePeriodSeconds: 120
      volumes:
        - name: reports
          persistentVolumeClaim:
            claimName: touchstone
      containers:
        - name: touchstone
          # Holds a project with touchstone among its dependencies, and touchstone.config.ts.
          image: conformance:1
          env:
            - name: TOUCHSTONE_TOKEN
              valueFrom:
                secretKeyRef:
                  name: touchstone
                  key: token
            # JOB_COMPLETION_INDEX is set by Kubernetes.
            - name: JOB_COMPLETIONS
              value: '1'
          volumeMounts:
            - name: reports
              mountPath: /reports
          command: [sh, -c]
          # Whoever ends the pod tells the shell, which passes it on; npx would not.
          # A shard that has written its results is complete, whatever they say: the report carries the verdict. Those of an
          # earlier run are not for it, so the shard removes them, and the report renames those that it has merged, or could not merge.
          args:
            - |
              out=/reports/shard-$JOB_COMPLETION_INDEX
              rm -f "$out/results.json"
              trap 'kill -TERM "$run"' TERM
              node_modules/.bin/touchstone run --shard auto --seed "$(date +%Y%m%d)" --max-time 30m --out "$out" & run=$!
              wait "$run" || wait "$run"
              node_modules/.bin/touchstone sweep --out "$out"
              test -s "$out/results.json"
---
apiVersion: batch/v1
kind: Job
metadata:
  name: touchstone-report
spec:
  backoffLimit: 0
  activeDeadlineSeconds: 4200
  template:
    spec:
      restartPolicy: Never
      volumes:
        - name: reports
          persistentVolumeClaim:
            claimName: touchstone
      containers:
        - name: report
          image: conformance:1
          env:
            - name: JOB_COMPLETIONS
              value: '1'
          volumeMounts:
            - name: reports
              mountPath: /reports
          command: [sh, -c]
          args:
            - |
              until [ "$(ls /reports/shard-*/results.json 2>/dev/null | wc -l)" -ge "$JOB_COMPLETIONS" ]; do sleep 5; done
              node_modules/.bin/touchstone report --merge /reports/shard-*/results.json --out /reports/all
              verdict=$?
              for shard in /reports/shard-*; do mv "$shard/results.json" "$shard/results.merged.json"; done
              exit "$verdict"
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: touchstone-fuzz
spec:
  schedule: '17 1 * * *'
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      backoffLimit: 0
      activeDeadlineSeconds: 9000
      template:
        spec:
          restartPolicy: Never
          terminationGracePeriodSeconds: 120
          volumes:
            - name: reports
              persistentVolumeClaim:
                claimName: touchstone
          containers:
            - name: touchstone
              image: conformance:1
              env:
                - name: TOUCHSTONE_TOKEN
                  valueFrom:
                    secretKeyRef:
                      name: touchstone
                      key: token
              volumeMounts:
                - name: reports
                  mountPath: /reports
              command: [sh, -c]
              # First what a night that was killed has left; the corpus stays on the volume, so that a night goes on from what earlier ones
              # reached. Its exit code is that of the Job.
              args:
                - |
                  node_modules/.bin/touchstone sweep --out /reports/night
                  exec node_modules/.bin/touchstone fuzz --max-time 2h --corpus /reports/corpus --out /reports/night
`

export const pipelines: Readonly<Record<CiKind, Pipeline>> = {
  github: {
    path: '.github/workflows/conformance.yml',
    content: github,
    next: () => 'add the secret TOUCHSTONE_TOKEN to the repository',
  },
  gitlab: {
    path: '.gitlab/conformance.yml',
    content: gitlab,
    next: (path) =>
      `include it from .gitlab-ci.yml (include: { local: ${path} }) and add the masked variable TOUCHSTONE_TOKEN`,
  },
  kubernetes: {
    path: 'touchstone.job.yaml',
    content: kubernetes,
    next: () =>
      'build the image that it names, and make the secret: kubectl create secret generic touchstone --from-literal=token=…',
  },
}
