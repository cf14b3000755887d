# The command line in an image: docker build -t toolbox . && docker run --rm -v "$PWD:/data" toolbox -config census.xml
# It has no pandas, which only DataFrames of Python need; what leaves it stays in the folder that you mount.
FROM python:3.12-slim AS built
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.12-slim
COPY --from=built /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/*.whl)[files,matching]" \
    && pip uninstall --yes pandas \
    && rm -rf /wheels \
    && useradd --create-home --uid 1000 publisher
USER publisher
WORKDIR /data
ENTRYPOINT ["toolbox"]
CMD ["--help"]
